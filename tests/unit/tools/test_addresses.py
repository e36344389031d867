"""Which addresses are public, range by range."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.tools.addresses import CLOSED_IPV4, CLOSED_IPV6, GLOBAL_IPV6, is_public

quick = settings(max_examples=200, deadline=None, database=None)

CLOSED = [
    *(
        "0.0.0.0",
        "0.0.0.1",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
    ),
    *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1"),
    *("192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255"),
    *("240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:93.184.216.34"),
    *(
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::5db8:d822",
        "64:ff9b:1::1",
        "100::1",
        "100:0:0:1::1",
        "2001::1",
    ),
    *("2001:0:7f00:1::1", "2001:2::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:db8::1"),
    *("2002:7f00:1::", "2002:5db8:d822::1", "2620:4f:8000::1", "3ffe::1", "3fff::1", "4000::1", "5f00::1", "fc00::1"),
    *("fd00:ec2::254", "fe80::1", "fe80::1%eth0", "2606:4700::1111%eth0", "fec0::1", "ff02::1", "1000::1"),
]
OPEN = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
]
OPEN += [
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "2003::1",
]
OPEN += ["11.0.0.0", "9.255.255.255", "126.255.255.255", "128.0.0.0", "2001:200::1", "3ffd::1"]


@pytest.mark.parametrize("address", CLOSED)
def test_an_address_with_a_special_purpose_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OPEN)
def test_an_address_of_the_internet_is_public_up_to_the_edge_of_each_range(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "127.0.0.01", " 1.1.1.1", "1.1.1.1."]
)
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@quick
@given(
    st.one_of(st.ip_addresses(), *[st.ip_addresses(network=str(network)) for network in (*CLOSED_IPV4, *CLOSED_IPV6)])
)
def test_whatever_is_called_public_is_global_for_the_standard_library_too(address: IPv4Address | IPv6Address) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not any((address.is_multicast, address.is_reserved, address.is_unspecified))


@quick
@given(st.ip_addresses(v=4))
def test_no_ipv4_address_becomes_public_by_being_carried_inside_an_ipv6_address(address: IPv4Address) -> None:
    number = int(address)
    teredo = (0x20010000 << 96) | (number << 64) | (number ^ 0xFFFFFFFF)
    for carrier in ("::ffff:0:0", "::", "64:ff9b::", "64:ff9b:1::", "::ffff:0:0:0"):
        assert not is_public(str(IPv6Address(int(IPv6Address(carrier)) | number)))
    assert not is_public(str(IPv6Address((0x2002 << 112) | (number << 80))))
    assert not is_public(str(IPv6Address(teredo)))


def test_the_table_holds_each_range_once_and_in_its_own_family() -> None:
    assert len(set(CLOSED_IPV4)) == len(CLOSED_IPV4)
    assert len(set(CLOSED_IPV6)) == len(CLOSED_IPV6)
    assert all(network.subnet_of(GLOBAL_IPV6) for network in CLOSED_IPV6)
