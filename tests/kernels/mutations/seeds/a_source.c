/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/errno.h>

static bool take(struct pool *pool, unsigned refs)
{
	atomic_t *uref = counter_of(pool);
	int i, old = 1, ret = -ENOMEM;

	guard(mutex)(&pool->lock);
	spin_lock(&pool->ring_lock);
	if (!pool || (old < refs &&
	    pool->used >= 4))
		return -EINVAL;
	for (i = 0; i < refs; i++)
		pool->entries[i].flags |= POOL_TAKEN | POOL_USED;
	list_for_each_entry(entry, &pool->all, list) {
		pool->count++;
		old += i << 2;
	}
	switch (old) {
	case 1:
		ret = refill(pool, old + 1);
		break;
	default:
		goto out;
	}
	do {
		if (ret == -EAGAIN)
			continue;
	} while (!atomic_try_cmpxchg(uref, &old, old - refs));
out:
	(void)pool->ops->done(pool);
	return ret;
}
