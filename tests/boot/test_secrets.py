"""What opens something is found in a text, and a name that only looks like it is not."""

import base64
import json

import pytest

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import BootData, File
from kilonode.boot.secrets import key_in

TOKEN = "abcdef.0123456789abcdef"
SECRET = "aZ09bY18cX27dW36eV45fU54gT63hS72iR81jQ90"


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def web_token(head: object) -> str:
    return f"{part(head)}.{part({'sub': 'somebody'})}.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        *(
            (text, "a bootstrap token")
            for text in (
                f"token: {TOKEN}\n",
                f"token: '{TOKEN}'\n",
                f'{{"token": "{TOKEN}"}}',
                f"kubeadm join 10.0.0.1:6443 --token {TOKEN}",
                f"kubeadm join 10.0.0.1:6443 --discovery-token={TOKEN}",
                f"bootstrapTokens:\n- {TOKEN}\n",
                f"export BOOTSTRAP_TOKEN={TOKEN}",
                f"# the token ({TOKEN})",
                "token-id: abcdef\ntoken-secret: 0123456789abcdef\n",
                f"token-secret: {base64.b64encode(b'0123456789abcdef').decode()}\n",
            )
        ),
        *(
            (text, "an access key")
            for text in (
                f"aws_secret_access_key = {SECRET}\n",
                f"export AWS_SECRET_ACCESS_KEY={SECRET}",
                f'{{"SecretAccessKey": "{SECRET}"}}',
                "AKIAABCDEFGHIJKLMNOP",
                "AccountKey=abc",
            )
        ),
        (f"Authorization: Bearer {web_token({'alg': 'RS256', 'kid': 'a'})}\n", "a JSON web token"),
        (web_token({"typ": "JWT", "alg": "none"}), "a JSON web token"),
        ("-----BEGIN PRIVATE KEY-----", "a private key"),
        ("-----BEGIN EC PRIVATE KEY-----", "a private key"),
        ("client-key-data: LS0t", "a private key"),
    ],
)
def test_what_opens_something_is_found(text: str, what: str) -> None:
    assert key_in(text) == what


@pytest.mark.parametrize(
    "text",
    [
        "image: global.prometheusconfig\n",
        "server: https://myregi.internalregistry/v2\n",
        "token-file: /etc/token\nimage: myregi.internalregistry\n",
        "serviceAccountTokens: true\nregistry: myregi.internalregistry\n",
        "token-secret: the-name-of-a-secret\n",
        f"token: {TOKEN}0",
        "AWS_SECRET_ACCESS_KEY=$(cat /run/key)",
        f"secret_access_key: {SECRET}{SECRET}",
        f"sha1: {SECRET}",
        web_token({"typ": "JWT"}),
        web_token(["alg"]),
        "eyJub3RqcX0.part.part",
        "ey" + "A" * 20 + ".example.com",
        "-----BEGIN CERTIFICATE-----",
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert key_in(text) is None


@pytest.mark.parametrize("registry", ["global.prometheusconfig", "myregi.internalregistry"])
def test_a_registry_that_is_called_like_a_token_refuses_no_boot_data(registry: str) -> None:
    mirror = f'server = "https://{registry}"\n[host."https://{registry}"]\n'
    assert user_data(BootData("a", (File("/etc/containerd/certs.d/hosts.toml", mirror),), (), ()))
