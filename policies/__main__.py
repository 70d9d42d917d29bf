"""The policy pack: `pulumi preview --policy-pack policies`."""

from pack.server import serve

if __name__ == "__main__":
    serve()
