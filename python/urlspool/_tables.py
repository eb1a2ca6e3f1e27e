"""Methods of Hits that make tables. Each needs the package that its name or documentation says."""

from __future__ import annotations

import os
import typing

from ._native import Hits


def _to_pandas(self: Hits) -> typing.Any:
    """Returns the URLs that you have not read as a `pandas.DataFrame`."""
    import pandas

    return pandas.DataFrame.from_arrow(self)


def _to_polars(self: Hits) -> typing.Any:
    """Returns the URLs that you have not read as a `polars.DataFrame`."""
    import polars

    return polars.DataFrame(self)


def _to_parquet(self: Hits, path: str | os.PathLike[str] | typing.BinaryIO) -> None:
    """Writes the URLs that you have not read to a Parquet file, as `urlspool --parquet` does. Needs pyarrow, and memory
    for one batch of rows."""
    import pyarrow.parquet

    batches = pyarrow.RecordBatchReader.from_stream(self)
    with pyarrow.parquet.ParquetWriter(path, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _repr(self: Hits) -> str:
    files, messages, size = self.progress
    return f"<urlspool.Hits: {files} files, {messages} messages and {size} bytes were searched so far>"


for _name, _method in {"to_pandas": _to_pandas, "to_polars": _to_polars, "to_parquet": _to_parquet, "__repr__": _repr}.items():
    _method.__name__ = _name
    setattr(Hits, _name, _method)
