//! Ways into nested blocks: of each statement on the way its position in its block, and which of its own blocks leads on.

use super::Block;

/// The block at the end of a way.
pub(crate) fn block_at<'b>(block: &'b Block, way: &[(usize, usize)]) -> Option<&'b Block> {
    let [(at, number), rest @ ..] = way else { return Some(block) };
    let (mut now, mut found) = (0, None);
    block.get(*at)?.for_each_block(|inner| {
        if now == *number {
            found = Some(inner);
        }
        now += 1;
    });
    block_at(found?, rest)
}

/// The same, to change it.
pub(crate) fn block_at_mut<'b>(block: &'b mut Block, way: &[(usize, usize)]) -> Option<&'b mut Block> {
    let [(at, number), rest @ ..] = way else { return Some(block) };
    let (mut now, mut found) = (0, None);
    block.get_mut(*at)?.for_each_block_mut(|inner| {
        if now == *number {
            found = Some(inner);
        }
        now += 1;
    });
    block_at_mut(found?, rest)
}
