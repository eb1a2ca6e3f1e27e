//! Recognizes residues: character references such as `&gt;` that remained when HTML was converted to text (rule 2.2).

use super::has;
use crate::url::numeric_reference;

/// The names of the character references that end a URL, between blanks: those of HTML 4 for characters that end a URL,
/// without those that are names of parameters, too, such as `&lang;`. `&amp;` does not end a URL, so it is not listed.
pub(super) const RESIDUES: &[u8] =
    b" gt lt quot nbsp apos laquo raquo lsquo rsquo ldquo rdquo sbquo bdquo lsaquo rsaquo hellip \
    ndash mdash bull middot copy reg trade times divide deg sect para thinsp ensp emsp lrm rlm iexcl iquest brvbar \
    macr acute cedil uml plusmn larr uarr rarr darr harr euro curren dagger shy zwnj zwj sup1 sup2 sup3 frac14 \
    frac12 frac34 permil oline frasl tilde minus radic asymp loz spades clubs hearts diams cong crarr lceil lfloor \
    lowast nabla ni oplus otimes rceil rfloor sdot there4 weierp cent pound yen infin equiv forall isin notin nsub \
    perp rang sube supe ";

/// The longest name in [`RESIDUES`].
pub(super) const MAX_RESIDUE: usize = 6;

/// Whether `text` begins with a residue: one of [`RESIDUES`], or a numeric reference to any character except `&`.
pub(super) fn is_residue(text: &[u8]) -> bool {
    text[0] == b'&' && is_residue_after(text, true)
}

/// Whether the text after the first byte of `text` is the rest of a residue. It can be encoded twice, as in
/// `&amp;quot;`, if `twice` is true.
fn is_residue_after(text: &[u8], twice: bool) -> bool {
    if text.get(1) == Some(&b'#') {
        return numeric_reference(&text[1..]).is_some_and(|(_, number)| number != u32::from(b'&'));
    }
    let name = text[1..].iter().take(MAX_RESIDUE + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (name, end) = text[1..].split_at(name);
    end.first() == Some(&b';')
        && (has(RESIDUES, name) || twice && name.eq_ignore_ascii_case(b"amp") && is_residue_after(&text[4..], false))
}
