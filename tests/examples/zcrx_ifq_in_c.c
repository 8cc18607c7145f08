// The header is C, too: it compiles with all warnings, and its structures are the kernel's.
#include "examples/zcrx_ifq.h"

_Static_assert(sizeof(struct zcrx_rqe) == 16, "as the kernel has it");

int zcrx_ifq_in_c(void);
int zcrx_ifq_in_c(void)
{
    struct zcrx_cqe cqe = {.res = -ENOSPC};
    return zcrx_next_of(&cqe) == ZCRX_ARM_AGAIN;
}
