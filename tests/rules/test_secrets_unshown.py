"""What the engine keeps as a secret is judged, and no door shows it; nor is a password in a URL shown."""

import base64
import json
import re
from typing import Any

import pytest

from kilonode.rules.__main__ import VIOLATED, main
from kilonode.rules.read import aws, aws_launch
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import SECRET, SIGNATURE, Sealed
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Violation
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import member_flags
from tests.rules.written import cloud_config, encoded, made, unit

CANARY = "hunter2"
IMAGE = f"registry.example.com/{CANARY}:latest"


def sealed(value: Any) -> dict[str, Any]:
    return {SIGNATURE: SECRET, "plaintext": json.dumps(value)}


def state(image: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "main", "image": image}]}
    inputs = {"metadata": {"name": "jobs"}, "spec": {"template": {"spec": pod}}}
    row = {
        "urn": "urn:pulumi:prod::foreign::kubernetes:apps/v1:Deployment::jobs",
        "type": "kubernetes:apps/v1:Deployment",
        "inputs": inputs,
    }
    return {"deployment": {"resources": [row]}}


@pytest.mark.parametrize("form", ["table", "json", "sarif"])
@pytest.mark.parametrize(("image", "shown"), [(IMAGE, CANARY), (sealed(IMAGE), "[secret]")])
def test_a_secret_is_judged_and_not_shown(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], form: str, image: Any, shown: str
) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state(image)))
    assert main(["check", str(file), "--format", form]) == VIOLATED
    said = capsys.readouterr().out
    assert "image-latest" in said
    assert shown in said
    assert (CANARY in said) == (shown == CANARY)


def test_user_data_that_is_a_secret_is_judged_and_none_of_its_text_is_shown(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = []
    for each in Foreign().resources():
        inputs = json.loads(json.dumps(dict(each.properties)))
        if "osProfile" in inputs:
            told = base64.b64decode(inputs["osProfile"]["customData"]).decode()
            told = re.sub(r"(quota-backend-bytes=)\d+", rf"\1{CANARY}", told)
            inputs["osProfile"]["customData"] = sealed(encoded(told))
        rows.append({"urn": each.urn, "type": each.type, "inputs": inputs})
    file = tmp_path / "state.json"
    file.write_text(json.dumps({"deployment": {"resources": rows}}))
    main(["check", str(file), "--format", "json"])
    said = capsys.readouterr().out
    values = {each["value"] for each in json.loads(said)["violations"] if each["rule"].startswith("etcd-quota")}
    assert values == {"[secret]"}
    assert CANARY not in said


@pytest.mark.parametrize("kind", [aws.INSTANCE, aws.GROUP])
@pytest.mark.parametrize(("secret", "value"), [(True, "[secret]"), (False, CANARY)])
def test_of_a_template_that_is_a_secret_nothing_is_shown_at_what_is_made_from_it(
    kind: str, secret: bool, value: str
) -> None:
    flags = member_flags(1, 1, 3) | {"quota-backend-bytes": CANARY}
    text = encoded(cloud_config({"/etc/systemd/system/etcd.service": unit("etcd", flags)}))
    own = made(aws_launch.TEMPLATE, "t", {"userData": Sealed(text) if secret else text}, id="lt-1")
    member = made(kind, "member", {"launchTemplate": {"id": "lt-1"}, "desiredCapacity": 1})
    (found,) = BY_ID["etcd-quota"].check(read_facts([own, member]))
    assert isinstance(found, Violation)
    assert found.value == value


def test_a_password_in_a_url_is_not_shown(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state(f"https://root:{CANARY}@registry.example.com/jobs:latest")))
    main(["check", str(file)])
    said = capsys.readouterr().out
    assert "https://[secret]@registry.example.com/jobs:latest" in said
    assert CANARY not in said
