"""What opens something is found in a text, and a name that only looks like it is not."""

import base64
import json
import time

import pytest

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import BootData, File
from kilonode.boot.secrets import key_in

TOKEN = "abcdef.0123456789abcdef"
SECRET = "aZ09bY18cX27dW36eV45fU54gT63hS72iR81jQ90"


PASSWORDS = (
    "password: hunter2\n",
    "  - plain_text_passwd: 'hunter2'\n",
    '{"password": "hunter2"}',
    '{"password":"correct horse battery"}',
    "db_password: hunter2 # of the database\n",
    "adminPassword: hunter2\r\n",
    "password = hunter2\n",
    'password = "hunter2"\n',
    "export DB_PASSWORD=hunter2\n",
    "Environment=DB_PASSWORD=hunter2\n",
    "curl --password=hunter2\n",
    "chpasswd:\n  expire: false\n  list: |\n    a:RANDOM\n    root:hunter2\n",
    "chpasswd:\n  list:\n    - 'root:hunter2'\n",
    "echo root:hunter2 | chpasswd\n",
    "echo 'root:hunter2' | sudo chpasswd\n",
    json.dumps({"auths": {"r.example.com": {"auth": base64.b64encode(b"me:hunter2").decode()}}}),
    "git clone https://ci:hunter2@git.example.com/a.git\n",
    "export HTTPS_PROXY=http://me:hunter2@proxy.example.com:3128\n",
    "curl -fsSL -u me:hunter2 https://a.example.com\n",
    "curl -su 'me:hunter2' https://a.example.com\n",
    "curl --user=me:hunter2 https://a.example.com\n",
    "docker login -u me -p hunter2 r.example.com\n",
    "helm registry login r.example.com --username me --password hunter2\n",
    "  .dockerconfigjson: " + base64.b64encode(b'{"auths": {"r.example.com": 1}}').decode(),
)
NO_PASSWORDS = (
    "PasswordAuthentication no\n",
    "passwordAuthentication: no\n",
    "password-file: /etc/secret\n",
    "password_file: secret.txt\n",
    "password: /run/secret\n",
    "password: $(cat /run/secret)\n",
    'PASSWORD="$(cat /run/secret)"\n',
    "PASSWORD=${VAR}\n",
    "PASSWORD=$1\n",
    "password: '{{ password }}'\n",
    "password: <yours>\n",
    "password: !vault |\n",
    "password: vault://secret/it\n",
    "password:\n  secretKeyRef: {name: a}\n",
    'password: ""\n',
    "password: null\nlock_passwd: true\nssh_pwauth: false\n",
    "password: '********'\n",
    "# password: hunter2\n",
    "password: it stands in the store\n",
    "def login(password: str) -> None: ...\n",
    "login(user=user, password=password)\n",
    "passwd: files systemd\n",
    "passwd: $6$salt$hash\n",
    "password requisite pam_pwquality.so retry=3\n",
    "chpasswd:\n  expire: false\n  list: |\n    a:RANDOM\n    b:R\n    c:$6$salt$hash\n",
    "echo $USER:$SECRET | chpasswd\n",
    "chpasswd: {expire: false}\n",
    "git clone https://ci:$TOKEN@git.example.com/a.git\n",
    "git clone https://ci:${TOKEN}@git.example.com/a.git\n",
    "git clone https://ci@git.example.com/a.git ssh://git@git.example.com:22/a\n",
    "skopeo copy docker://alpine:3.20@sha256:abcdef dir:a\n",
    "curl --user-agent=a:b https://a.example.com\n",
    "# https://me:hunter2@a.example.com\n",
    "https://a.example.com:6443/@me\n",
    'curl -u "me:$PASSWORD" https://a.example.com\n',
    "curl -X PUT -H 'X-Token: 21600' http://169.254.169.254/a\n",
    "curl -sSfLo /usr/local/bin/a https://a.example.com:443/a\n",
    "docker login -u me --password-stdin r.example.com\n",
    "docker login -u me -p $PASSWORD r.example.com\n",
    "login -f root\nmkdir -p /run/a\n",
    "secret: the-name-of-a-secret-that-is-long\n",
    "certificate-authority-data: " + base64.b64encode(b"-----BEGIN CERTIFICATE-----\n" * 3).decode(),
    json.dumps({"auth": "abcdefgh"}),
    '{"auth": "none"}',
    "certificate-key\nsha256:" + "ab" * 32,
    f"K10{'ab' * 32}",
    "K3S_TOKEN=$(cat /run/token)\nK3S_TOKEN_FILE=/etc/token\nRKE2_TOKEN: ''\n",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "https://a.example.com/?sv=1&sig=short",
    "ghp_short glpat-short xoxb-short",
    "sig=" + "a" * 40,
)


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def web_token(head: object) -> str:
    return f"{part(head)}.{part({'sub': 'somebody'})}.c2lnbmF0dXJl"


WRAPPED = (
    ("-----BEGIN EC PRIVATE KEY-----\n" + SECRET * 3, "a private key"),
    (f"#!/bin/sh\nkubeadm join 10.0.0.1:6443 --token {TOKEN}\n", "a bootstrap token"),
    ("#cloud-config\nusers: [{name: me}]\npassword: hunter2\n", "a password"),
)


def wrapped(text: str, indent: str) -> str:
    """As ``base64`` writes it, in lines."""
    return base64.encodebytes(text.encode()).decode().strip().replace("\n", f"\n{indent}")


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
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----", "a private key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key"),
        *((text, "an access key") for text in ("ASIAABCDEFGHIJKLMNOP", f"AWS_SESSION_TOKEN={SECRET * 3}=")),
        *(
            (text, "a shared access signature")
            for text in (
                f"https://a.blob.example.com/c/b?sv=2024-11-04&st=x&se=2027-01-01T00%3A00Z&sp=r&sig={SECRET}%3D",
                f'"sig={SECRET}=&spr=https&se=2027-01-01"',
            )
        ),
        *(
            (text, "a key to join with")
            for text in (
                f"certificateKey: {'ab' * 32}\n",
                f"kubeadm join 10.0.0.1:6443 --control-plane --certificate-key {'ab' * 32}",
                f"K10{'ab' * 32}::server:abc",
                "K3S_TOKEN=mysecret sh -",
                'RKE2_TOKEN: "mysecret"',
                "export K3S_AGENT_TOKEN='mysecret'",
            )
        ),
        *(
            (text, "an access token")
            for text in (
                *(f"{kind}_{'a1' * 18}" for kind in ("ghp", "gho", "ghu", "ghs", "ghr")),
                f"https://x:github_pat_{'a1' * 41}@github.com/a/b",
                f"glpat-{'a1' * 10}",
                "xoxb-1234567890-abc",
                "export VAULT_TOKEN=hvs.CAESIJ0123456789abcdef",
                "VAULT_TOKEN='s.0123456789abcdef'",
                "X-Vault-Token: hvs.CAESIJ0123456789abcdef",
            )
        ),
        *(
            (text, "an encryption key")
            for size in (16, 24, 32)
            for key in (base64.b64encode(bytes(range(size))).decode(),)
            for text in (f"keys:\n- name: a\n  secret: {key}\n", f'{{"secret":"{key}"}}')
        ),
        *((text, "a password") for text in PASSWORDS),
        *((f"echo {base64.b64encode(text.encode()).decode()} | base64 -d\n", what) for text, what in WRAPPED),
        (f"content: |\n  {wrapped(WRAPPED[0][0], '  ')}\n", "a private key"),
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
        *NO_PASSWORDS,
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert key_in(text) is None


@pytest.mark.parametrize("registry", ["global.prometheusconfig", "myregi.internalregistry"])
def test_a_registry_that_is_called_like_a_token_refuses_no_boot_data(registry: str) -> None:
    mirror = f'server = "https://{registry}"\n[host."https://{registry}"]\n'
    assert user_data(BootData("a", (File("/etc/containerd/certs.d/hosts.toml", mirror),), (), ()))


@pytest.mark.parametrize(
    "text",
    [
        "token-",
        "password: ",
        "certificate-key ",
        "a:b|",
        "sig=",
        "chpasswd:\n list:\n",
        "list: a:R\n",
        "://a:",
        "curl ",
        "curl -u ",
        "login ",
        "secret: ",
        "A" * 40,
        "A" * 40 + "\n",
    ],
)
def test_a_long_text_is_searched_in_time_that_grows_with_its_length(text: str) -> None:
    """Were it to grow with the square, each would take minutes."""
    begun = time.process_time()
    key_in(text * 40_000)
    assert time.process_time() - begun < 10
