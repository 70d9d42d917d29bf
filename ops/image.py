"""`make image`: the folder an Azure region's image is built from, with its checksums; publish it as it is.

What is in the folder already is kept where this host cannot make it: Azure's CNI plugins.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from kilonode.clouds.azure import cni, preloads
from kilonode.clouds.azure import image_content as content
from kilonode.clouds.azure.plan import AzurePlan, plan_azure
from kilonode.clouds.local import archives
from kilonode.clouds.local.host import digests
from kilonode.clouds.local.programs import program
from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.azure_image import TemplateImageSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.plan import plan_region
from kilonode.region.settings import KEY
from kilonode.region.spec import RegionSpec
from kilonode.spec import OutputGivenError
from ops.stackfile import read_stack, stack_file

SUMS = "SHA256SUMS"
CNI_SOURCE = "a release of https://github.com/Azure/azure-container-networking (azure-vnet-cni-linux-amd64-….tgz)"


def sources(plan: AzurePlan) -> dict[str, Path]:
    """Where each file of the folder is on this host, by name; those that must be in the folder are left out.

    Raises:
        RefusedError: when an archive holds another image than a pool asks for.
        FileNotFoundError: naming the program that PATH lacks.
    """
    found = {each.name: program(each.name) for each in content.programs() if each.name not in cni.PROGRAMS}
    system = {each.reference: each for each in archives.SYSTEM}
    found |= {file: archives.system_archive(system[reference]) for reference, file in preloads.SYSTEM}
    for pool in plan.pools:
        archives.asked(pool.spec)
        found |= {preloads.file_of(image): Path(image.archive) for image in pool.spec.images}
    return found


def publishable(plan: AzurePlan, folder: Path) -> str:
    """Fill ``folder``; returns the SHA-256 of its SHA256SUMS.

    Raises:
        RefusedError: when the folder lacks what this host cannot make.
    """
    wanted = [each.name for each in content.downloads(plan)]
    here = sources(plan)
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in wanted if name not in here and not (folder / name).is_file()]
    if missing:
        raise RefusedError([_missing(folder, missing)])
    _copy({source: folder / name for name, source in here.items()})
    sums = digests.of_files(folder / name for name in wanted)
    (folder / SUMS).write_text("".join(f"{sums[folder / name]}  {name}\n" for name in sorted(wanted)), encoding="utf-8")
    return digests.of_files([folder / SUMS])[folder / SUMS]


def planned(spec: RegionSpec) -> AzurePlan:
    """The plan of a stack whose machines boot such an image.

    Raises:
        RefusedError: when the stack is on another cloud.
    """
    if not isinstance(spec.cloud, AzureCloudSpec):
        why = "the folder is for machines of Azure; local ones boot an image that `make up` builds by itself"
        fix = "give STACK the name or the file of a stack on Azure"
        raise RefusedError([Refusal(f"{KEY}.cloud.kind", spec.cloud.kind, "'azure'", why, fix)])
    return plan_azure(plan_region(spec))


def main() -> int:
    """Fill the folder for a stack, and say what to write into its file."""
    parser = argparse.ArgumentParser(prog="python -m ops.image", description=__doc__)
    parser.add_argument("stack", help="name of a file in stacks/, or a path to a stack file")
    parser.add_argument("folder", type=Path)
    words = parser.parse_args()
    try:
        plan = planned(read_stack(stack_file(words.stack)))
        checksums = publishable(plan, words.folder)
    except (RefusedError, OutputGivenError, OSError) as fault:
        print(f"image: {fault}", file=sys.stderr)
        return 1
    image = plan.cloud.image
    print(f"{words.folder}: {len(content.downloads(plan))} files and {SUMS}. Publish it, and write under cloud.image:")
    print(f"  checksums: {checksums}")
    if isinstance(image, TemplateImageSpec) and image.checksums != checksums:
        print(f"and another version: {image.version} is that of other content")
    return 0


def _missing(folder: Path, names: list[str]) -> Refusal:
    return Refusal(
        str(folder),
        f"a folder without {', '.join(names)}",
        "a folder that holds them",
        "nodes give pods their addresses with them, and they are not built here",
        f"put them there, from {CNI_SOURCE}",
    )


def _copy(files: Mapping[Path, Path]) -> None:
    """Copy each file that is not there yet as it is here."""
    here = digests.of_files(files)
    there = digests.of_files(target for target in files.values() if target.is_file())
    for source, target in files.items():
        if there.get(target) != here[source]:
            shutil.copyfile(source, target)


if __name__ == "__main__":
    sys.exit(main())
