"""Which addresses belong to the public internet. Our own table: the standard library's flag changes with its version
and lets several of these pass.

IPv4 is open but for the ranges of the IANA special-purpose registry and multicast. IPv6 is closed but for 2000::/3, the
one block that global unicast addresses are given out from, and of that the special-purpose ranges are closed again. So
everything that carries an IPv4 address inside (mapped, translated, 6to4, Teredo) is closed, whatever it carries.
"""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

CLOSED_IPV4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers; also a cloud's metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's host agent, reachable from its guests only
        "169.254.0.0/16",  # link-local; metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; also a cloud's metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnelling
        "192.88.99.0/24",  # 6to4 relays, withdrawn
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved; broadcast
    )
)
GLOBAL_IPV6 = IPv6Network("2000::/3")
CLOSED_IPV6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID, AS112 and others
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # the first test network, given back
        "3fff::/20",  # documentation
    )
)


def is_public(address: str) -> bool:
    """Whether this is an address of the public internet; false for whatever is no address."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        # A zone index names one of this machine's own networks.
        return ip.scope_id is None and ip in GLOBAL_IPV6 and not any(ip in network for network in CLOSED_IPV6)
    return not any(ip in network for network in CLOSED_IPV4)
