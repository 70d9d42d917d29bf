"""Signs by which keys and tokens are known: their own form, or the word before them."""

import re

_HEX = "[0-9a-f]"
_SAS = r"[^\s\"'<>]{0,512}?"
SIGNS = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|client-key-data:\s*\S"),
    # Names have the same form (global.prometheusconfig), so the word must stand before it.
    "a bootstrap token": re.compile(
        r"token[\w-]{0,64}[^A-Za-z0-9]{1,16}[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])"
        r"|token-secret[^A-Za-z0-9]{1,8}[A-Za-z0-9]{16}(?:[A-Za-z0-9]{6}==)?(?![\w=])",
        re.IGNORECASE,
    ),
    # A digest has the form of kubeadm's certificate key; K3s and RKE2 write the digest of their authority into a token.
    "a key to join with": re.compile(
        rf"certificate[-_]?key[^A-Za-z0-9]{{1,8}}{_HEX}{{64}}(?!\w)|\bK10{_HEX}{{64}}::"
        r"|\b(?:K3S|RKE2)_(?:\w{1,16}_)?TOKEN[\"']?[ \t]*[:=][ \t]*[\"']?(?=\w)(?!(?:null|true|false)\b)",
        re.IGNORECASE,
    ),
    "an access key": re.compile(
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAccountKey=\S"
        r"|(?i:secret[_-]?access[_-]?key)[^A-Za-z0-9/+]{1,8}[A-Za-z0-9/+]{40}(?![\w/+=])"
        r"|(?i:aws[_-]?session[_-]?token)[^A-Za-z0-9/+]{1,8}[A-Za-z0-9/+=]{64,}"
    ),
    "a shared access signature": re.compile(
        rf"\bs[ev]=\w{_SAS}&sig=[\w%/+-]{{20}}|\bsig=[\w%/+-]{{20,128}}=*&{_SAS}\bs[ev]=\w", re.ASCII
    ),
    # EncryptionConfiguration has keys of 16, 24 or 32 bytes in base64.
    "an encryption key": re.compile(
        r"(?<![\w-])secret[\"']?[ \t]{0,8}:[ \t]{0,8}[\"']?"
        r"(?:[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{32}|[A-Za-z0-9+/]{43}=)(?![\w+/=-])"
    ),
    # GitHub, GitLab, Slack and Vault write what a token is before it, so that it can be found.
    "an access token": re.compile(
        r"\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_\w{22}"
        r"|\bgl(?:pat|rt|dt|ptt|cbt|oas|agent)-[\w-]{20}|\bxox[abeoprs]-[\w-]{10}"
        r"|\bhv[sbr]\.[\w-]{20}|\bVAULT_TOKEN[\"']?[ \t]*[:=][ \t]*[\"']?\w",
        re.ASCII,
    ),
}
