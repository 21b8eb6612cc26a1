//! The profile: the convention for an offloaded result, the product's own or one of the two
//! specifications of the memory format MIF.

/// A convention for files, recipes and thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Any records. Schema and recipes are derived from them.
    #[default]
    General,
    /// Memories by `lro-spec-1600`.
    Mif,
    /// Memories by `lro-spec-6400-mif`.
    Mif6400,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 3] = [Profile::General, Profile::Mif, Profile::Mif6400];

    /// Returns the profile with that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Returns its name in requests and headers.
    pub fn name(self) -> &'static str {
        match self {
            Profile::General => "general",
            Profile::Mif => "mif",
            Profile::Mif6400 => "mif-6400",
        }
    }

    /// Returns the prefix of the names of its files.
    pub fn prefix(self) -> &'static str {
        match self {
            Profile::General => "lro",
            Profile::Mif | Profile::Mif6400 => "atlatl",
        }
    }

    /// Returns the default threshold: a result with more estimated tokens is offloaded.
    pub fn threshold_tokens(self) -> u64 {
        match self {
            Profile::General | Profile::Mif => 1600,
            Profile::Mif6400 => 6400,
        }
    }
}

/// The detail of memories in their records (`lro-spec-1600`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Without content.
    Light,
    /// With content, and confidence as a top-level number.
    Medium,
    /// With every member.
    Full,
}

impl Detail {
    /// Returns the level with that name.
    pub fn of(name: &str) -> Option<Self> {
        [Detail::Light, Detail::Medium, Detail::Full].into_iter().find(|level| level.name() == name)
    }

    /// Returns its name in requests and headers.
    pub fn name(self) -> &'static str {
        match self {
            Detail::Light => "light",
            Detail::Medium => "medium",
            Detail::Full => "full",
        }
    }

    /// Returns the default level of an operation: `medium` for those that inject context,
    /// else `light`.
    pub fn of_operation(operation: &str) -> Self {
        if operation.starts_with("inject") { Detail::Medium } else { Detail::Light }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for profile in Profile::ALL {
            assert_eq!(Profile::of(profile.name()), Some(profile));
        }
        assert_eq!(Profile::of("memory"), None);
        assert_eq!(Detail::of("medium"), Some(Detail::Medium));
        assert_eq!(Detail::of(""), None);
    }

    #[test]
    fn the_specifications_thresholds_and_defaults_hold() {
        assert_eq!(Profile::Mif.threshold_tokens(), 1600);
        assert_eq!(Profile::Mif6400.threshold_tokens(), 6400);
        assert_eq!(Detail::of_operation("inject"), Detail::Medium);
        assert_eq!(Detail::of_operation("inject_context"), Detail::Medium);
        assert_eq!(Detail::of_operation("recall"), Detail::Light);
    }
}
