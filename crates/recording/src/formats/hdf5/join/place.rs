//! The place of the account in a file.

/// The group of the account, below the first group of the file.
pub(super) const ACCOUNT: &str = "/join";

/// The group of the account in a file that has its numbers at this path: in the first group of the path.
pub(super) fn account_of(numbered: &str) -> String {
    let mut parts = numbered.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some(entry), Some(_)) => format!("/{entry}{ACCOUNT}"),
        _ => ACCOUNT.to_owned(),
    }
}
