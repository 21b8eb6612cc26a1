//! The profile: by which convention a result is offloaded, the product's own or
//! one of the two that specify the memory format MIF.

/// A convention for files, recipes and thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Any records; schema and recipes are derived from them.
    #[default]
    General,
    /// Memories, as `lro-spec-1600` has them.
    Mif,
    /// Memories, as `lro-spec-6400-mif` has them.
    Mif6400,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 3] = [Profile::General, Profile::Mif, Profile::Mif6400];

    /// The profile of that name; none where there is no such profile.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Its name in requests and headers.
    pub fn name(self) -> &'static str {
        match self {
            Profile::General => "general",
            Profile::Mif => "mif",
            Profile::Mif6400 => "mif-6400",
        }
    }

    /// What the names of its files begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Profile::General => "lro",
            Profile::Mif | Profile::Mif6400 => "atlatl",
        }
    }

    /// Above how many estimated tokens a result is offloaded by default.
    pub fn threshold_tokens(self) -> u64 {
        match self {
            Profile::General | Profile::Mif => 1600,
            Profile::Mif6400 => 6400,
        }
    }
}

/// How much of a memory its record holds (`lro-spec-1600`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Without content.
    Light,
    /// With content, confidence flattened.
    Medium,
    /// Everything.
    Full,
}

impl Detail {
    /// The level of that name; none where there is no such level.
    pub fn of(name: &str) -> Option<Self> {
        [Detail::Light, Detail::Medium, Detail::Full].into_iter().find(|level| level.name() == name)
    }

    /// Its name in requests and headers.
    pub fn name(self) -> &'static str {
        match self {
            Detail::Light => "light",
            Detail::Medium => "medium",
            Detail::Full => "full",
        }
    }

    /// The level of an operation that names none: `medium` where context is
    /// injected, else `light`.
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
