/** Without control characters. */
const stringText = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/.source;
const numberText = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.source;
/** Spaces and then one token of JSON, or the end of the text. */
const token = new RegExp(`[ \\t\\n\\r]*(?:([{}[\\],:])|(${stringText})|${numberText}|true|false|null|$)`, "y");

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

/**
 * Where a text stops being JSON, as an index in UTF-16 units: the beginning of the first wrong or incomplete token, or
 * the text's length if a token is missing there. Undefined for valid JSON. The engine's own message would quote the
 * text.
 */
export function jsonErrorAt(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let isDone = false;
  for (token.lastIndex = 0; ; ) {
    const from = token.lastIndex;
    const [all, sign, string] = token.exec(text) ?? [];
    const at = from + /^[ \t\n\r]*/.exec(text.slice(from, from + (all?.length ?? text.length)))![0].length;
    if (all === undefined) return at;
    if (at === text.length) return isDone ? undefined : at;
    if (isDone) return at;
    const isValue = expected === "value" || expected === "value or end";
    if (isValue && (sign === "{" || sign === "[")) {
      open.push(sign);
      expected = sign === "{" ? "name or end" : "value or end";
      continue;
    }
    const closes = sign === (open.at(-1) === "{" ? "}" : "]") && open.length > 0 && expected.endsWith("or end");
    if (closes) open.pop();
    if (closes || (isValue && sign === undefined)) {
      isDone = open.length === 0;
      expected = "comma or end";
    } else if (expected.startsWith("name") && string !== undefined) expected = "colon";
    else if (expected === "colon" && sign === ":") expected = "value";
    else if (expected === "comma or end" && sign === ",") expected = open.at(-1) === "{" ? "name" : "value";
    else return at;
  }
}
