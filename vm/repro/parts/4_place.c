//@ part 
// Where payload comes from: loopback without a NIC, or a NIC and a network namespace.
//@ part nodev
/* No NIC: a connection over loopback, whose payload the kernel copies into the area. */
static void use_device(struct ifq *q, struct zcrx_ifq_reg *reg)
{
	(void)q;
	(void)reg;
}

static struct in_addr local_address(struct ifq *q)
{
	(void)q;
	return (struct in_addr){ htonl(INADDR_LOOPBACK) };
}

static uint16_t local_port(void)
{
	return 0;
}

static int peer_socket(struct ifq *q)
{
	(void)q;
	return check(socket(AF_INET, SOCK_STREAM, 0), "socket");
}

//@ part device
#define PORT 9100

/* From the environment: NETIF, QUEUE, LOCAL_V4, and PEER_NETNS with the peer's end of the wire. */
static const char *setting(const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value)
		skip("set NETIF, QUEUE, LOCAL_V4 and PEER_NETNS; there is no", 0);
	return value;
}

static void use_device(struct ifq *q, struct zcrx_ifq_reg *reg)
{
	(void)q;
	reg->flags &= ~ZCRX_NODEV;
	reg->if_idx = if_nametoindex(setting("NETIF"));
	reg->if_rxq = atoi(setting("QUEUE"));
}

static struct in_addr local_address(struct ifq *q)
{
	struct in_addr address = { htonl(INADDR_LOOPBACK) };

	if (!q->nodev)
		inet_pton(AF_INET, setting("LOCAL_V4"), &address);
	return address;
}

static uint16_t local_port(void)
{
	return PORT;
}

static int peer_socket(struct ifq *q)
{
	int own = check(open("/proc/self/ns/net", O_RDONLY), "open /proc/self/ns/net"), fd;

	if (!q->nodev) {
		int peer = check(open(setting("PEER_NETNS"), O_RDONLY), "open PEER_NETNS");

		check(setns(peer, CLONE_NEWNET), "setns");
		close(peer);
	}
	fd = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
	check(setns(own, CLONE_NEWNET), "setns");
	close(own);
	return fd;
}

