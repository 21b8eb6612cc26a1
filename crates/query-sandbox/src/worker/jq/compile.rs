//! Compiles filters.

use super::{adapt::adapt, compile_error, data::Data, index_path, natives, unsupported};
use crate::jq_error::JqError;
use jaq_core::{
    Compiler, Filter,
    load::{Arena, File, Loader, import, parse, parse::Def},
    native::Fun,
};

/// Helpers of public functions, which are never suggested as names.
const INTERNAL: &str = "\
    capture_object capture_of_match cut_all decode_base64 decode_uri encode_base64 encode_uri \
    error_empty escape_html escape_sh find_all find_any jaq_contains jaq_flatten jaq_indices \
    key_values matches max_by_or_empty min_by_or_empty path_value remove_paths slice_end \
    slice_start to_number to_text whole_index";

/// The name of the adapted filter among the definitions.
const ADAPTED: &str = "adapted_filter";

/// Compiles `filter`, which may use the variables `vars`, named with `$`.
pub(super) fn compile(filter: &str, vars: &[String]) -> Result<Filter<Data>, JqError> {
    // The errors are those of the filter as it is written.
    let compiled = compile_with(filter, vars, None)?;
    let Some(mut body) = parse(filter, |parser| parser.term()) else { return Ok(compiled) };
    adapt(filter, &mut body);
    let adapted = Def { name: ADAPTED, args: Vec::new(), body };
    compile_with(ADAPTED, vars, Some(adapted))
}

fn compile_with<'f>(
    filter: &'f str,
    vars: &'f [String],
    definition: Option<Def<&'f str>>,
) -> Result<Filter<Data>, JqError> {
    let arena = Arena::default();
    let mut defined: Vec<Def<&'f str>> = definitions().collect::<Vec<_>>();
    defined.extend(definition);
    let modules = Loader::new(defined)
        .load(&arena, File { code: filter, path: () })
        .map_err(|errors| compile_error::of_loading(filter, errors))?;
    // The loader does not read data files; the compiler expects them to be loaded.
    import(&modules, |_| Err("there are no data files".to_owned()))
        .map_err(|errors| compile_error::of_loading(filter, errors))?;
    Compiler::default()
        .with_funs(functions())
        .with_global_vars(vars.iter().map(String::as_str))
        .compile(modules)
        .map_err(|errors| compile_error::of_compiling(filter, errors, &known(), vars))
}

fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let prelude = parse(include_str!("prelude.jq"), |parser| parser.defs());
    jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .filter(|def| unsupported::reason(def.name).is_none())
        .chain(prelude.expect("the prelude is part of this program and parses"))
}

fn functions() -> impl Iterator<Item = Fun<Data>> {
    natives::functions()
        .chain(index_path::functions())
        .chain(jaq_core::funs())
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(|(name, ..)| unsupported::reason(name).is_none())
}

fn known() -> Vec<(&'static str, usize)> {
    let defined = definitions().map(|def| (def.name, def.args.len()));
    let native = functions().map(|(name, arguments, _)| (name, arguments.len()));
    let internal: Vec<&str> = INTERNAL.split(' ').collect();
    let public = |name: &str| !internal.contains(&name) && !name.ends_with('_');
    defined.chain(native).filter(|(name, _)| public(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(filter: &str) -> String {
        compile(filter, &["$keyword".to_owned()]).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn everything_defined_here_compiles() {
        for filter in [".", "$keyword", "\"\\(1/2) \\(\"\\(.)\")\" | @base64 \"\\(.)\"", "tostream"]
        {
            assert!(compile(filter, &["$keyword".to_owned()]).is_ok(), "{filter}");
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        assert_eq!(
            error("map(.a"),
            "the jq filter does not parse at character 6: expected closing parenthesis, found the end\n  map(.a\n        ^"
        );
        assert_eq!(
            error(".a | slect(.b)"),
            "slect/1 is not defined (character 5 of the jq filter); nearest: select/1\n  .a | slect(.b)\n       ^"
        );
        assert!(error("map(1; 2)").contains("map/2 is not defined"));
        assert!(error("map(1; 2)").contains("nearest: map/1"));
        assert!(error("$keywrd").contains("nearest: $keyword"));
        assert!(error("import \"a\" as a; .").contains("not supported"));
        assert!(error("import \"a\" as $a; $a").contains("not supported"));
        assert!(error("").contains("found the end"));
        assert!(error("map(.catégorie)").contains("is quoted: .\"catégorie\""));
        assert!(error("map(.a + .価格_2)|add").contains("is quoted: .\"価格_2\""));
        assert!(!error("map(.a é)").contains("is quoted"));
    }

    #[test]
    fn what_is_refused_says_why() {
        for name in ["env", "$ENV", "halt", "halt_error", "input", "inputs", "debug", "stderr"] {
            assert!(error(name).starts_with("not supported in this jq"), "{name}: {}", error(name));
        }
        for name in ["now", "localtime", "input_filename", "input_line_number", "debug(1)"] {
            assert!(error(name).starts_with("not supported in this jq"), "{name}: {}", error(name));
        }
        assert!(error("halt(1)").starts_with("not supported"));
    }
}
