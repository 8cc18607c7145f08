// SPDX-License-Identifier: GPL-2.0
/*
 * Mistakes put into a stock kernel as it runs, one at a time. "zcrxlab.mistake=NAME" on the kernel's
 * command line says which; the tables are in mistakes_of_*.c.
 *
 * ci/test-kernel-probes builds this into a driver, which each guest loads. A mistake begins with the
 * first scenario, so that what the kernel can do is found out on a sound one.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "mistakes.h"

bool has_failed;

static bool begun;
static const struct mistake *chosen;

static const struct mistake *const tables[] = { mistakes_of_registration, mistakes_of_requests,
						mistakes_of_network };

/* What runs in place of a function that is left out. */
static noinline notrace void returns(void)
{
	barrier();
}

static int in_front(struct kprobe *probe, struct pt_regs *regs)
{
	if (!READ_ONCE(begun) || !chosen->entry(regs))
		return 0;
	regs->ip = (unsigned long)returns;
	return 1;
}

static int keep_arguments(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(struct arguments *)instance->data = (struct arguments){ regs->di, regs->si, regs->dx,
								   regs->cx, regs->r8, regs->r9 };
	return 0;
}

static int at_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (READ_ONCE(begun))
		chosen->end((const struct arguments *)instance->data, regs);
	return 0;
}

/* Each scenario is announced in the kernel log, by the program that runs it. */
static int announced(struct kprobe *probe, struct pt_regs *regs)
{
	if (!strncmp(current->comm, "zcrx-scen", 9) && !READ_ONCE(begun)) {
		WRITE_ONCE(begun, true);
		pr_info("the mistake %s begins\n", chosen->name);
	}
	return 0;
}

static int told(struct kprobe *probe, struct pt_regs *regs)
{
	if (READ_ONCE(begun))
		has_failed = true;
	return 0;
}

static struct kprobe start = { .symbol_name = "devkmsg_write", .pre_handler = announced };
static struct kprobe also = { .pre_handler = told };
static struct kprobe entry = { .pre_handler = in_front };
static struct kprobe second = { .pre_handler = in_front };
static struct kretprobe end = { .handler = at_end,
				.entry_handler = keep_arguments,
				.data_size = sizeof(struct arguments),
				.maxactive = 64 };

/* The word behind "zcrxlab.mistake=" of /proc/cmdline; empty without it. */
static void read_name(char *name, size_t room)
{
	static char line[2048];
	struct file *file = filp_open("/proc/cmdline", O_RDONLY, 0);
	loff_t at = 0;
	ssize_t length;
	char *word;

	name[0] = '\0';
	if (IS_ERR(file))
		return;
	length = kernel_read(file, line, sizeof(line) - 1, &at);
	filp_close(file, NULL);
	word = length > 0 ? strstr(line, "zcrxlab.mistake=") : NULL;
	if (word)
		strscpy(name, word + strlen("zcrxlab.mistake="), room);
	name[strcspn(name, " \n")] = '\0';
}

static const struct mistake *find(const char *name)
{
	const struct mistake *mistake;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (mistake = tables[i]; mistake->name; mistake++)
			if (!strcmp(mistake->name, name))
				return mistake;
	return NULL;
}

int mistakes_begin(void);
int mistakes_begin(void)
{
	static char name[64];
	int code = 0;

	read_name(name, sizeof(name));
	if (!name[0])
		return 0;
	chosen = find(name);
	if (!chosen)
		return -EINVAL;
	entry.symbol_name = chosen->function;
	end.kp.symbol_name = chosen->function;
	also.symbol_name = chosen->also;
	second.symbol_name = chosen->second;
	if (chosen->also)
		code = register_kprobe(&also);
	if (!code && chosen->second)
		code = register_kprobe(&second);
	if (!code)
		code = chosen->entry ? register_kprobe(&entry) : register_kretprobe(&end);
	return code ? code : register_kprobe(&start);
}
