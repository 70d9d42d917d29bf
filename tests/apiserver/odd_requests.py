"""Certificate requests that no library would make, byte by byte."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

EXTENSIONS = ("1.2.840.113549.1.9.14", "1.3.6.1.4.1.311.2.1.14")
"""The attribute that holds the extensions asked for, as PKCS #9 names it and as Microsoft does."""

SEQUENCE, SET, IDENTIFIER, TEXT, ATTRIBUTES = 0x30, 0x31, 0x06, 0x0C, 0xA0


def der(tag: int, content: bytes) -> bytes:
    length = len(content)
    size = length.to_bytes((length.bit_length() + 7) // 8 or 1)
    return bytes([tag]) + (bytes([length]) if length < 128 else bytes([0x80 | len(size)]) + size) + content


def identifier(dotted: str) -> bytes:
    first, second, *others = map(int, dotted.split("."))
    content = bytes([first * 40 + second])
    for number in others:
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(number & 0x7F | 0x80)
        content += bytes(reversed(digits))
    return der(IDENTIFIER, content)


def empty_extensions(node: str, attribute: str) -> str:
    """A well-signed request whose list of extensions is there and has nothing in it."""
    key = ec.generate_private_key(ec.SECP256R1())

    def part(oid: str, value: str) -> bytes:
        return der(SET, der(SEQUENCE, identifier(oid) + der(TEXT, value.encode())))

    subject = der(SEQUENCE, part("2.5.4.10", "system:nodes") + part("2.5.4.3", f"system:node:{node}"))
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    attributes = der(ATTRIBUTES, der(SEQUENCE, identifier(attribute) + der(SET, b"")))
    info = der(SEQUENCE, b"\x02\x01\x00" + subject + public + attributes)
    signature = der(0x03, b"\0" + key.sign(info, ec.ECDSA(SHA256())))
    whole = der(SEQUENCE, info + der(SEQUENCE, identifier("1.2.840.10045.4.3.2")) + signature)
    kind = "CERTIFICATE REQUEST"
    return f"-----BEGIN {kind}-----\n{base64.encodebytes(whole).decode()}-----END {kind}-----\n"
