/* a comment { */
#define A(x) { x \
}
static const struct foo a = {
	.b = 1,
};
static int io_zcrx_put(struct a *b,
		       int c)
{
	if (c == '{') { // }
		return "}"[0];
	}
	return 0;
}

int never(void)
{
	return 1;
}
