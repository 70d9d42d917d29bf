"""How a person may have images come to a pool's nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.nodes.images import HOST
from kilonode.nodes.pulls import AT_ONCE_MAX, BURST, INT32_MAX, URL_LENGTH
from tests.nodes.pools import machine_pool, one


class TestPulls:
    """Cases K01 and K02."""

    @pytest.mark.parametrize(("parallel", "serial"), [(1, True), (2, False), (5, False), (AT_ONCE_MAX, False)])
    def test_one_at_once_is_serial_and_more_is_not(self, parallel: int, serial: bool) -> None:
        assert machine_pool(pulls={"parallel": parallel}).pulls.serialize is serial

    def test_serial_pulling_is_never_a_setting(self) -> None:
        assert one(pulls={"serialize": True, "parallel": 5}).field == "region.nodePools[0].pulls.serialize"

    @pytest.mark.parametrize("parallel", [0, -1, AT_ONCE_MAX + 1, "5", 1.0, True, None])
    def test_another_number_at_once_is_refused(self, parallel: object) -> None:
        assert one(pulls={"parallel": parallel}).allowed == f"a whole number from 1 to {AT_ONCE_MAX}"

    @pytest.mark.parametrize("key", ["qps", "burst"])
    @pytest.mark.parametrize("value", [-1, INT32_MAX + 1, "20", 0.5, True])
    def test_a_rate_that_kubelet_cannot_read_is_refused(self, key: str, value: object) -> None:
        found = one(pulls={key: value})
        assert found.field == f"region.nodePools[0].pulls.{key}"
        assert found.allowed == f"a whole number from {int(key == 'burst')} to {INT32_MAX}"

    def test_a_burst_of_zero_is_refused_as_kubelet_reads_ten(self) -> None:
        assert "kubelet reads 0 as 10" in one(pulls={"burst": 0}).why

    @pytest.mark.parametrize(
        ("qps", "burst", "warnings"),
        [(0, 20, 1), (0, 1, 1), (0, None, 0), (20, 19, 1), (20, 20, 0), (20, 40, 0), (20, None, 0), (1, 1, 0)],
    )
    def test_a_burst_that_does_nothing_is_warned_of(self, qps: int, burst: int | None, warnings: int) -> None:
        found = machine_pool(pulls={"qps": qps, "burst": burst}).warnings()
        assert len(found) == warnings
        assert all(warning.startswith(f"pool gpu: pulls.burst {burst} ") for warning in found)

    @given(st.integers(0, INT32_MAX), st.none() | st.integers(1, INT32_MAX))
    def test_kubelet_is_given_a_burst_where_there_is_a_rate_and_only_there(self, qps: int, burst: int | None) -> None:
        rate = machine_pool(pulls={"qps": qps, "burst": burst}).pulls.rate
        assert rate["registryPullQPS"] == qps
        assert ("registryBurst" in rate) is (qps > 0)
        if qps:
            assert 0 < rate["registryBurst"] <= INT32_MAX
            assert rate["registryBurst"] == (burst or min(BURST * qps, INT32_MAX))

    @pytest.mark.parametrize("text", ["30m", "1s", "90s", "1h", "99999h"])
    def test_a_duration_is_a_number_with_its_unit(self, text: str) -> None:
        assert machine_pool(pulls={"progressTimeout": text}).pulls.progress_timeout == text

    @pytest.mark.parametrize(
        "text", ["0", "0s", "0m", "-5m", "30", "30 m", "m", "", "1.5h", "1h30m", "30min", "٣m", "30m\n", 30, None, True]
    )
    def test_any_other_duration_and_none_at_all_are_refused(self, text: object) -> None:
        assert one(pulls={"progressTimeout": text}).fix == "write '30m'"


class TestMirrors:
    def test_endpoints_keep_their_order(self) -> None:
        urls = ["https://b.example.com", "https://a.example.com:5000/v2/proxy"]
        (mirror,) = machine_pool(mirrors=[{"registry": "docker.io", "endpoints": urls}]).mirrors
        assert list(mirror.endpoints) == urls
        assert mirror.warnings() == []

    @pytest.mark.parametrize(
        ("registry", "fix"),
        [("https://docker.io", "write 'docker.io'"), ("docker.io/library", "write 'docker.io'"), ("Docker.IO", "write 'docker.io'"),
         ("../../etc", "write 'registry.example.com'"), ("a..b", "write 'registry.example.com'"), ("", "write 'registry.example.com'"), ("docker.io:99999", "write 'registry.example.com'"), ("a.-b", "write 'registry.example.com'"),
         ("mirror", "write 'registry.example.com'"), ("1.2.3", "write 'registry.example.com'"), ("index.docker.io", "write 'docker.io'")],
    )  # fmt: skip
    def test_a_registry_is_a_host(self, registry: str, fix: str) -> None:
        assert one(mirrors=[{"registry": registry, "endpoints": ["https://a.example.com"]}]).fix == fix

    @pytest.mark.parametrize(
        "registry", ["docker.io", "localhost", "registry:5000", "10.0.0.1:65535", "a-b.example.com"]
    )
    def test_a_registry_that_images_can_name_is_accepted(self, registry: str) -> None:
        (mirror,) = machine_pool(mirrors=[{"registry": registry, "endpoints": ["https://m"]}]).mirrors
        assert mirror.registry == registry

    @pytest.mark.parametrize("registry", [HOST, f"{HOST}:443"])
    def test_the_system_s_own_images_have_no_registry_to_mirror(self, registry: str) -> None:
        found = one(mirrors=[{"registry": registry, "endpoints": ["https://m"]}])
        assert (found.allowed, found.fix) == (f"any host but {HOST}", "remove the row")

    @pytest.mark.parametrize(
        "url", ["mirror.example.com", "ftp://mirror.example.com", "https://", "https://a b", "https://a?x=1", "https://a#x", "", 'https://a"b',
                "https://m:99999", "https://m:0", "https://.", "https://-", "https://-m", "https://a..b", "https://256.1.1.1", "https://M",
                "https://m/../x", "https://m/.", "https://m//x", "https://m\n"]
    )  # fmt: skip
    def test_an_endpoint_is_a_plain_url(self, url: str) -> None:
        assert one(mirrors=[{"registry": "docker.io", "endpoints": ["https://a.example.com", url]}]).field.endswith(
            "endpoints[1]"
        )

    def test_a_password_in_an_endpoint_is_refused_and_not_repeated(self) -> None:
        found = one(mirrors=[{"registry": "docker.io", "endpoints": ["https://me:hunter2@a.example.com/v2"]}])
        assert found.given == "https://…@a.example.com/v2"
        assert "hunter2" not in str(found)

    def test_a_mirror_without_tls_is_warned_of(self) -> None:
        (warning,) = machine_pool(mirrors=[{"registry": "docker.io", "endpoints": ["http://10.0.0.1:5000"]}]).warnings()
        assert warning.startswith("pool gpu: mirror http://10.0.0.1:5000 of docker.io is reached without TLS")

    @pytest.mark.parametrize("urls", [[], ["https://a"] * 2, [f"https://a{number}" for number in range(5)]])
    def test_no_endpoint_one_twice_and_too_many_are_refused(self, urls: list[str]) -> None:
        assert ".mirrors[0].endpoints" in one(mirrors=[{"registry": "docker.io", "endpoints": urls}]).field

    @pytest.mark.parametrize(
        ("one_url", "other"),
        [("https://m", "https://m/"), ("https://m", "https://m:443"), ("http://m:80/x", "http://m/x/"), ("https://m/v2", "https://m"),
         ("https://m/x/v2/", "https://m:443/x")],
    )  # fmt: skip
    def test_one_mirror_written_in_two_ways_is_refused(self, one_url: str, other: str) -> None:
        found = one(mirrors=[{"registry": "docker.io", "endpoints": [one_url, other]}])
        assert (found.field, found.given) == ("region.nodePools[0].mirrors[0].endpoints[1]", other)
        assert found.why == "a mirror that fails would be asked twice"

    def test_two_mirrors_that_look_alike_are_two(self) -> None:
        urls = ["https://m", "http://m", "https://m:80", "https://m/x"]
        assert list(machine_pool(mirrors=[{"registry": "docker.io", "endpoints": urls}]).mirrors[0].endpoints) == urls

    def test_a_url_longer_than_boot_data_has_room_for_is_refused(self) -> None:
        url = "https://m/".ljust(URL_LENGTH, "x")
        assert machine_pool(mirrors=[{"registry": "docker.io", "endpoints": [url]}]).mirrors[0].endpoints == (url,)
        found = one(mirrors=[{"registry": "docker.io", "endpoints": [url + "x"]}])
        assert (found.given, found.allowed) == (f"{URL_LENGTH + 1} characters", f"at most {URL_LENGTH}")

    def test_one_registry_twice_is_refused(self) -> None:
        row = {"registry": "docker.io", "endpoints": ["https://a.example.com"]}
        assert one(mirrors=[row, row]).field == "region.nodePools[0].mirrors[1].registry"
