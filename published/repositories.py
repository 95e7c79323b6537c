"""The repositories that hold the texts of published figures."""

from sari.published.checkouts import Repository

SIMPLIFICATION = Repository("cocoxu/simplification", "data")
EASSE = Repository("feralvam/easse", "easse/resources/data")
DRESS = Repository("XingxingZhang/dress", "all-system-output")
METAEVAL = Repository("feralvam/metaeval-simplification", "data")
ASSET = Repository("facebookresearch/asset")
LENS = Repository("Yao-Dou/LENS")
