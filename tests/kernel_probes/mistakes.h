/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A mistake is a probe of one function of the kernel: it changes what the function is given or
 * returns, or leaves it out.
 */
#ifndef ZCRXLAB_MISTAKES_H
#define ZCRXLAB_MISTAKES_H

#include <linux/kprobes.h>
#include <linux/types.h>

struct arguments {
	unsigned long a, b, c, d, e, f;
};

struct mistake {
	const char *name;
	const char *function;
	/* Before it is run. True: it is left out, and returns what regs->ax is. */
	bool (*entry)(struct pt_regs *regs);
	/* Where it returns. */
	void (*end)(const struct arguments *at_entry, struct pt_regs *regs);
	/* A call of this sets has_failed. */
	const char *also;
	/* A second guard of the same, to which entry is applied as well. */
	const char *second;
};

/* Each ends with a mistake without a name. */
extern const struct mistake mistakes_of_registration[];
extern const struct mistake mistakes_of_requests[];
extern const struct mistake mistakes_of_network[];

/* Set by a call of struct mistake::also, or by a mistake itself. */
extern bool has_failed;

static inline bool left_out(struct pt_regs *regs)
{
	regs->ax = 0;
	return true;
}

#endif
