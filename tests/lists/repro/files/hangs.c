/*
 * Hangs the guest: each of its processors does nothing but what a real-time thread wants, which is
 * nothing. For a test of what is said of a kernel that lets neither a program nor itself end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static void *spin(void *processor)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((long)processor, &one);
	sched_setaffinity(0, sizeof one, &one);
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 99 });
	for (;;)
		;
	return NULL;
}

int main(void)
{
	FILE *throttling = fopen("/proc/sys/kernel/sched_rt_runtime_us", "w");
	pthread_t thread;

	if (!throttling || fputs("-1", throttling) < 0 || fclose(throttling)) {
		perror("sched_rt_runtime_us");
		return 77;
	}
	puts("every processor is taken from now on");
	fflush(stdout);
	sleep(1);
	for (long processor = sysconf(_SC_NPROCESSORS_ONLN) - 1; processor >= 0; processor--)
		if (processor)
			pthread_create(&thread, NULL, spin, (void *)processor);
		else
			spin((void *)processor);
}
