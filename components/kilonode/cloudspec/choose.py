"""The clouds a region may be on: a union whose ``kind`` chooses."""

from typing import Annotated

from pydantic import Field

from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.local import LocalCloudSpec

CloudSpec = Annotated[LocalCloudSpec | AzureCloudSpec, Field(discriminator="kind")]
