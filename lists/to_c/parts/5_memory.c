//@ part 
// The memory of areas.
//@ part memory
enum { ANONYMOUS, MEMFD, HUGE, TRANSPARENT, HUGE_MEMFD };

//@ part plain_memory
static void *area_memory(uint64_t size, uint64_t repeat, int kind)
{
	int fd = repeat || kind == MEMFD ? check(memfd_create("area", 0), "memfd_create") : -1;
	unsigned char *m = mmap(NULL, size, PROT_READ | PROT_WRITE,
				fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, fd, 0);
	uint64_t unit = repeat ? repeat : size;

	if (m == MAP_FAILED)
		skip("mmap of the area", errno);
	if (fd < 0)
		return m;
	check(ftruncate(fd, unit), "ftruncate");
	/* One memfd again and again: a large area that needs little memory. */
	for (uint64_t at = 0; repeat && at < size; at += repeat)
		if (mmap(m + at, repeat, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			skip("mmap of the area", errno);
	return m;
}

//@ part huge_memory
#define HUGE_PAGE (2ULL << 20)

/* So many pages of 2 MiB more, where the kernel has memory for them. */
static void reserve_huge_pages(unsigned count)
{
	unsigned before = 0;
	FILE *file = fopen("/proc/sys/vm/nr_hugepages", "r+");

	if (!file || fscanf(file, "%u", &before) != 1)
		skip("there are no huge pages", 0);
	rewind(file);
	fprintf(file, "%u\n", before + count);
	fclose(file);
}

static void *area_memory(uint64_t size, uint64_t repeat, int kind)
{
	int huge = kind == HUGE || kind == HUGE_MEMFD, fd = -1;
	uint64_t more = kind == TRANSPARENT ? HUGE_PAGE : 0, unit = repeat ? repeat : size;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (kind == HUGE ? MAP_HUGETLB : MAP_NORESERVE);
	unsigned char *m;

	if (huge)
		reserve_huge_pages(size / HUGE_PAGE);
	if (repeat || kind == MEMFD || kind == HUGE_MEMFD) {
		fd = check(memfd_create("area", huge ? MFD_HUGETLB : 0), "memfd_create");
		check(ftruncate(fd, unit), "ftruncate");
		flags = MAP_SHARED;
	}
	m = mmap(NULL, size + more, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (m == MAP_FAILED)
		skip("mmap of the area", errno);
	if (kind == TRANSPARENT) {
		m += -(uintptr_t)m % HUGE_PAGE;
		madvise(m, size, MADV_HUGEPAGE);
		memset(m, 0, size); /* now */
	}
	for (uint64_t at = 0; repeat && at < size; at += repeat)
		if (mmap(m + at, repeat, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			skip("mmap of the area", errno);
	return m;
}

