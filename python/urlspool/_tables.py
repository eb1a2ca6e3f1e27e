"""Methods of Hits that make tables, and the table that Jupyter shows for a Hit. Each `to_...` needs the package that its
name or documentation says."""

from __future__ import annotations

import html
import os
import typing

from ._native import Hit, Hits


def _to_pandas(self: Hits) -> typing.Any:
    """Returns the URLs that you have not read as a `pandas.DataFrame`. Also needs pyarrow."""
    import pyarrow

    return pyarrow.table(self).to_pandas()


def _to_polars(self: Hits) -> typing.Any:
    """Returns the URLs that you have not read as a `polars.DataFrame`."""
    import polars

    return polars.DataFrame(self)


def _to_parquet(self: Hits, path: str | os.PathLike[str] | typing.BinaryIO) -> None:
    """Writes the URLs that you have not read to a Parquet file, as `urlspool --parquet` does. Needs pyarrow, and memory
    for one batch of rows."""
    import pyarrow.parquet

    batches = pyarrow.RecordBatchReader.from_stream(self)
    with pyarrow.parquet.ParquetWriter(path, batches.schema, compression="gzip") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _repr(self: Hits) -> str:
    files, messages, size = self.progress
    return f"<urlspool.Hits: {files} files, {messages} messages and {size} bytes were searched so far>"


def _html(self: Hit) -> str:
    """Returns a table of the fields that have a value. The URL is not a link, so that nobody opens it by mistake."""
    fields = ((name, html.escape(str(value))) for name, value in self.asdict().items() if value is not None)
    return f"<table>{''.join(f'<tr><th>{name}<td>{value}' for name, value in fields)}</table>"


for _class, _name, _method in (
    (Hits, "to_pandas", _to_pandas),
    (Hits, "to_polars", _to_polars),
    (Hits, "to_parquet", _to_parquet),
    (Hits, "__repr__", _repr),
    (Hit, "_repr_html_", _html),
):
    _method.__name__ = _name
    setattr(_class, _name, _method)
