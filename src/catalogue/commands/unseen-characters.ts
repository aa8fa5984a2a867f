/** Characters that are invisible, or that look like a space or like a part of another character. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Zl}\p{Zp}]|(?! )\p{Zs}|(?<= ) /gu;

/**
 * Returns two texts that people can distinguish. If the given texts look equal, escapes such as `\u00a0` replace their
 * invisible characters.
 */
export function toldApart(one: string, other: string): [string, string] {
  return one === other || looksOf(one) !== looksOf(other) ? [one, other] : [escaped(one), escaped(other)];
}

function looksOf(text: string): string {
  return text
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, "")
    .replace(/\p{Z}+/gu, " ")
    .normalize("NFC");
}

function escaped(text: string): string {
  return text.replace(unseen, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}
