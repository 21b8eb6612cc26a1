# Definitions that follow jq 1.6 where those of jaq do not, and those it lacks.
# A later definition of a name takes the place of an earlier one.

def tostring: to_text;
def tonumber: to_number;
def @text: to_text;
def @json: tojson;
def @html: to_text | escape_html;
def @uri: to_text | encode_uri;
def @base64: to_text | encode_base64;
def @base64d: to_text | decode_base64;
def @sh: [if isarray then .[] end
  | if isstring then "'" + escape_sh + "'"
    elif isarray or isobject then error("\(type) (\(tojson)) can not be escaped for shell")
    else tojson end] | join(" ");

# As jq: no number is the quotient of a number and zero.
def quotient_(f; g): g as $b | f as $a
  | if ($a | isnumber) and ($b | isnumber) and $b == 0
    then error("\($a) and \($b) cannot be divided because the divisor is zero")
    else $a / $b end;
# As jq: the remainder is that of the numbers without their fractions.
def whole_: if . < 0 then ceil else floor end;
def remainder_(f; g): g as $b | f as $a
  | if ($a | isnumber) and ($b | isnumber) then ($b | whole_) as $c
    | if $c == 0 then error("\($a) and \($b) cannot be divided because the divisor is zero")
      else ($a | whole_) % $c end
    else $a % $b end;
def update_remainder_(f; g): g as $b | f |= remainder_(.; $b);
def update_quotient_(f; g): g as $b | f |= quotient_(.; $b);

def join($s): reduce .[] as $x (null;
  (if . == null then "" else . + $s end)
  + ($x | if . == null then "" elif isboolean or isnumber then tojson else . end)) // "";
def ascii: [.] | implode;
def transpose: if all(.[]; isarray) then [range(0; map(length) | max // 0) as $i | [.[][$i]]]
  else error("cannot transpose \(type) of other values than arrays") end;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");

def first: at_(0);
def last: at_(-1);
def nth($n): at_($n | whole_index);
def getpath($path): reduce $path[] as $p (.; at_($p | whole_index));
def setpath($path; $x): getpath($path) = $x;
def jaq_reverse_: reverse;
def reverse: if . == null then [] else jaq_reverse_ end;
def delpaths($paths): remove_paths($paths);
def del(f): delpaths([path(f)]);
def jaq_contains($x): contains($x);
def contains($x): if type == ($x | type) then jaq_contains($x)
  else error("\(type) and \($x | type) cannot have their containment checked") end;
def inside($x): . as $y | $x | contains($y);
def jaq_flatten: flatten;
def flatten: if isarray then jaq_flatten else error("cannot flatten \(type)") end;
def flatten($depth): if isarray | not then error("cannot flatten \(type)")
  elif $depth > 0 then [.[] | if isarray then flatten($depth - 1)[] else . end]
  else . end;
def jaq_indices($x): indices($x);
def indices($x): if . == null or isobject and ($x | isstring) then .[$x] else jaq_indices($x) end;
def index($x): indices($x) | .[0];
def rindex($x): indices($x) | .[-1:][0];
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce (.[]
  | {(if .key == null then .k // .name // .Name // .K // .Key else .key end
      | if isstring then . else tojson end):
     (if has("value") then .value elif has("v") then .v else .Value end)}) as $x ({}; . + $x);
def with_entries(f): to_entries | map(f) | from_entries;
def leaf_paths: paths(scalars);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] = $row);
def INDEX(f): INDEX(.[]; f);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def tostream: path(def r: (.[]? | r), .; r) as $p
  | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def truncate_stream(s): . as $n | null | s | select(.[0] | length > $n) | [.[0][$n:]] + .[1:];

def capture_object: [.captures[] | select(.name != null) | {(.name): .string}] | add + {};
def match($re; $flags): find_all($re; $flags)[];
def match($re): if $re | isarray then match($re[0]; $re[1]) else match($re; null) end;
def test($re; $flags): find_any($re; $flags);
def test($re): if $re | isarray then test($re[0]; $re[1]) else test($re; null) end;
def capture($re; $flags): match($re; $flags) | capture_object;
def capture($re): match($re) | capture_object;
def scan($re; $flags): match($re; "g" + $flags)
  | if .captures | length > 0 then [.captures[].string] else .string end;
def scan($re): scan($re; null);
def split($re; $flags): [cut_all($re; "g" + $flags)[] | strings];
def splits($re; $flags): split($re; $flags)[];
def splits($re): splits($re; null);
def sub($re; f; $flags): reduce cut_all($re; $flags)[] as $x ("";
  . + ($x | if isstring then . else capture_object | f end));
def sub($re; f): sub($re; f; null);
def gsub($re; f; $flags): sub($re; f; "g" + $flags);
def gsub($re; f): sub($re; f; "g");
