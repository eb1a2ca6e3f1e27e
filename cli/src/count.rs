//! `count`: counts URLs by one or more fields.

use urlspool::fields::Field;

use crate::args::{Given, Wrong};
use crate::find;
use crate::print::{Group, GroupLayout, Groups, Layout, Order, Output, Printer, Separator, Sheet, Style, Table, URL};

/// Returns the printer of the counts.
pub(crate) fn printer(given: &Given) -> Result<Printer, Wrong> {
    let mut columns = given.fields()?.unwrap_or_default();
    let is_unique = given.has("unique");
    if is_unique && columns.iter().any(|field| field.name() == URL) {
        return Err("with -u, each URL has the count 1; remove -u, or count by another field".into());
    }
    let is_ascending = ["date", "year", "month"].contains(&columns[0].name());
    if is_unique {
        columns.insert(0, Field::find(URL).expect("a field"));
    }
    let (is_json, style) = (given.has("json"), find::style(given));
    let table = Table::new(Separator::Tab, columns, Style::Raw);
    let layout = Layout::Group(Group { table, is_json });
    let groups = Groups::new(
        match style {
            _ if is_json => GroupLayout::Json,
            Style::Raw => GroupLayout::Raw,
            _ => GroupLayout::Bars,
        },
        is_ascending,
        is_unique,
    );
    let sheet = Sheet::new(layout, Order::Count(groups), false, given.number("max-count"));
    Ok(Printer::new(Output::Lines(sheet), given.has("stats")))
}
