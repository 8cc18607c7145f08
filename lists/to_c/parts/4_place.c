//@ part 
// Where payload comes from: loopback without a NIC, or a NIC and a network namespace.
//@ part no_device
/* No NIC: a connection over loopback, whose payload the kernel copies into the area. */
static void use_device(struct ifq *q, struct zcrx_ifq_reg *reg)
{
	(void)q;
	(void)reg;
}

/* Where connections are received; its length. */
static socklen_t local_address(struct ifq *q, int family, struct sockaddr_storage *to)
{
	(void)q;
	if (family == 6) {
		*(struct sockaddr_in6 *)to = (struct sockaddr_in6){ .sin6_family = AF_INET6,
								    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
		return sizeof(struct sockaddr_in6);
	}
	*(struct sockaddr_in *)to = (struct sockaddr_in){ .sin_family = AF_INET,
							  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	return sizeof(struct sockaddr_in);
}

static int peer_socket(struct ifq *q, int family)
{
	(void)q;
	return check(socket(family, SOCK_STREAM, 0), "socket");
}

//@ part device
#define PORT 9100

/* From the environment: NETIF, QUEUE, LOCAL_V4 or LOCAL_V6, and PEER_NETNS with the peer's end. */
static const char *setting(const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value)
		skip("set NETIF, QUEUE, LOCAL_V4 (LOCAL_V6) and PEER_NETNS; one of them is not there", 0);
	return value;
}

static void use_device(struct ifq *q, struct zcrx_ifq_reg *reg)
{
	(void)q;
	reg->flags &= ~ZCRX_NODEV;
	reg->if_idx = if_nametoindex(setting("NETIF"));
	reg->if_rxq = atoi(setting("QUEUE"));
}

/* Where connections are received; its length. Without a NIC that is loopback. */
static socklen_t local_address(struct ifq *q, int family, struct sockaddr_storage *to)
{
	if (family == 6) {
		struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };

		if (!q->nodev) {
			inet_pton(AF_INET6, setting("LOCAL_V6"), &six.sin6_addr);
			six.sin6_port = htons(PORT);
		}
		*(struct sockaddr_in6 *)to = six;
		return sizeof six;
	} else {
		struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };

		if (!q->nodev) {
			inet_pton(AF_INET, setting("LOCAL_V4"), &four.sin_addr);
			four.sin_port = htons(PORT);
		}
		*(struct sockaddr_in *)to = four;
		return sizeof four;
	}
}

static int peer_socket(struct ifq *q, int family)
{
	int own = check(open("/proc/self/ns/net", O_RDONLY), "open /proc/self/ns/net"), fd;

	if (!q->nodev) {
		int peer = check(open(setting("PEER_NETNS"), O_RDONLY), "open PEER_NETNS");

		check(setns(peer, CLONE_NEWNET), "setns");
		close(peer);
	}
	fd = check(socket(family, SOCK_STREAM, 0), "socket");
	check(setns(own, CLONE_NEWNET), "setns");
	close(own);
	return fd;
}

//@ part nic_request
#include <linux/ethtool.h>
#include <linux/sockios.h>

/* What a request to the NIC's driver returned: 0 or a positive errno. */
static int nic_request(unsigned long request, struct ifreq *r)
{
	int fd = check(socket(AF_INET, SOCK_DGRAM, 0), "socket"), failed;

	snprintf(r->ifr_name, sizeof r->ifr_name, "%s", setting("NETIF"));
	failed = ioctl(fd, request, r) < 0 ? errno : 0;
	close(fd);
	return failed;
}

//@ part nic_mtu
static void nic_mtu(int mtu, int expected)
{
	struct ifreq r = { .ifr_mtu = mtu };

	promised("SIOCSIFMTU", nic_request(SIOCSIFMTU, &r), expected);
}

//@ part nic_rx
/* Entries of the receive rings. */
static void nic_rx(unsigned entries, int expected)
{
	struct ethtool_ringparam rings = { .cmd = ETHTOOL_GRINGPARAM };
	struct ifreq r = { .ifr_data = (void *)&rings };

	if (nic_request(SIOCETHTOOL, &r))
		skip("the driver does not tell the sizes of its rings", 0);
	rings.cmd = ETHTOOL_SRINGPARAM;
	rings.rx_pending = entries;
	promised("ETHTOOL_SRINGPARAM", nic_request(SIOCETHTOOL, &r), expected);
}

//@ part nic_queues
static void nic_queues(unsigned count, int expected)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	struct ifreq r = { .ifr_data = (void *)&channels };

	if (nic_request(SIOCETHTOOL, &r))
		skip("the driver does not tell its queues", 0);
	channels.cmd = ETHTOOL_SCHANNELS;
	if (channels.combined_count)
		channels.combined_count = count;
	else
		channels.rx_count = channels.tx_count = count;
	promised("ETHTOOL_SCHANNELS", nic_request(SIOCETHTOOL, &r), expected);
}

//@ part nic_reset
/* As "ethtool --reset IF all"; not every driver has that. */
static void nic_reset(void)
{
	struct ethtool_value all = { .cmd = ETHTOOL_RESET, .data = ETH_RESET_ALL };
	struct ifreq r = { .ifr_data = (void *)&all };
	int failed = nic_request(SIOCETHTOOL, &r);

	if (failed)
		skip("the driver does not reset its device", failed);
}

//@ part nic_remove
static void write_to(const char *path, const char *text)
{
	int fd = check(open(path, O_WRONLY), path);

	check(write(fd, text, strlen(text)), path);
	close(fd);
}

static char nic_address[64], nic_driver[4096];

/* Takes the NIC off the PCI bus, or from its driver. */
static void nic_remove(int off_the_bus)
{
	char path[4200], link[256] = "";

	snprintf(path, sizeof path, "/sys/class/net/%s/device", setting("NETIF"));
	check(readlink(path, link, sizeof link - 1), path);
	snprintf(nic_address, sizeof nic_address, "%.60s", strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
	if (off_the_bus) {
		snprintf(path, sizeof path, "/sys/class/net/%s/device/remove", setting("NETIF"));
		write_to(path, "1");
		return;
	}
	snprintf(path, sizeof path, "/sys/class/net/%s/device/driver", setting("NETIF"));
	if (!realpath(path, nic_driver))
		skip(path, errno);
	snprintf(path, sizeof path, "%s/unbind", nic_driver);
	write_to(path, nic_address);
}

/* It comes back, but nobody sets it up. */
static void nic_rescan(void)
{
	char path[4200];

	if (!*nic_driver) {
		write_to("/sys/bus/pci/rescan", "1");
		return;
	}
	snprintf(path, sizeof path, "%s/bind", nic_driver);
	write_to(path, nic_address);
}

