import { isRow } from "../../operation/command/answer-table.ts";
import { type Paint, record, shown, table } from "./table.ts";

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
  const heading = message === undefined ? "" : `${paint("bold", shown(message))}\n\n`;
  if (Array.isArray(payload)) {
    const rows = payload.map((item) => (isRow(item) ? item : { value: item }));
    return heading + table(rows, paint);
  }
  return heading + record(isRow(payload) ? payload : { value: payload }, paint);
}

/** Renders a failure for people: its message, code, faults of fields, and help link. */
export function renderFailure(status: number, body: Record<string, unknown>, url: string, paint: Paint): string {
  const { message = "The service returned a failure." } = body;
  const { code, help, fields, ...facts } = isRow(body.error) ? body.error : {};
  const lines = record(
    {
      ...(code !== undefined && { code }),
      status,
      ...facts,
      ...(Array.isArray(fields) && {
        fields: Object.fromEntries(fields.filter(isRow).map(({ field, message }) => [field, message])),
      }),
      ...(typeof help === "string" && { help: help.startsWith("/") ? url + help : help }),
    },
    paint,
  );
  return `${paint("red", shown(message))}\n\n${lines}`;
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
