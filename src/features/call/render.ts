import { recordOf, tableOfRows } from "../../declare/command/answer-table.ts";
import { isRow } from "../../declare/command/projected.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { type Paint, recordText, shown, tableText } from "../../terminal/table.ts";

const utc = new TimeZone("UTC");

/** Parses a JSON object. Undefined for any other text. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRow(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Renders a response for people: its message, then its list as a table or its record as lines. */
export function renderResponse(body: Record<string, unknown>, paint: Paint): string {
  const { payload, message } = unwrapped(body);
  const heading = message === undefined ? "" : `${paint("bold", shown(String(message)))}\n\n`;
  if (Array.isArray(payload)) {
    const rows = payload.map((item) => (isRow(item) ? item : { value: item }));
    return heading + tableText(plainTable(rows), paint);
  }
  return heading + recordText(plainMembers(isRow(payload) ? payload : { value: payload }), paint);
}

/**
 * Renders the rows of a growing list, in equal columns each time. The first rows come under their headings. `widths`:
 * the least widths of columns by name.
 */
export function rowsRenderer(
  paint: Paint,
  widths: Map<string, number>,
): (rows: readonly Record<string, unknown>[]) => string {
  let isFirst = true;
  return (rows) => {
    const text = tableText(plainTable(rows), paint, rows.length, widths);
    const shown = isFirst ? text : text.slice(text.indexOf("\n") + 1);
    isFirst = false;
    return shown;
  };
}

/** Treats all values as text, because only the JSON of such a response is known. */
function plainTable(rows: readonly Record<string, unknown>[]) {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return tableOfRows({ properties: Object.fromEntries([...names].map((name) => [name, {}])) }, rows, utc);
}

const plainMembers = (members: Record<string, unknown>) => recordOf({}, members, utc);

/** Renders a failure for people: its message, code, problems of fields, and help link. */
export function renderFailure(status: number, body: Record<string, unknown>, url: string, paint: Paint): string {
  const { message = "The service returned a failure." } = body;
  const { code, help, fields, ...facts } = isRow(body.error) ? body.error : {};
  const lines = recordText(
    plainMembers({
      ...(code !== undefined && { code }),
      status,
      ...facts,
      ...(Array.isArray(fields) && {
        fields: Object.fromEntries(fields.filter(isRow).map(({ field, message }) => [field, message])),
      }),
      ...(typeof help === "string" && { help: help.startsWith("/") ? url + help : help }),
    }),
    paint,
  );
  return `${paint("red", shown(String(message)))}\n\n${lines}`;
}

/** The payload of the envelope. The data look-up has a second envelope inside the first. */
function unwrapped({ success, status, error, date, message, ...rest }: Record<string, unknown>): {
  payload: unknown;
  message?: unknown;
} {
  const members = Object.values(rest);
  const only = members.length === 1 ? members[0] : rest;
  if (isRow(only) && "error" in only && "data" in only) return unwrapped(only);
  return { payload: only, ...(message !== undefined && { message }) };
}
