import type { Static } from "typebox";
import { accountEventTypes, type EventType, eventTypes } from "../../declare/event.ts";
import Type from "../../declare/schema/type.ts";
import type { EventRow } from "../tables.ts";
import { rehearsed } from "./announce.ts";

const shapeOf = (type: EventType) => {
  const { summary, since, data } = eventTypes[type];
  return Type.Object(
    {
      id: Type.String(),
      type: Type.Literal(type),
      timestamp: Type.String({ format: "date-time" }),
      mode: Type.Union([Type.Enum(["test", "live"]), Type.Null()]),
      rehearsed: Type.Optional(Type.Literal(true, { description: "A test key made it: nothing happened" })),
      data,
    },
    { title: titleOf(type), description: summary, ...(since && { since }) },
  );
};

/** Returns the schema's title: `VerificationSettledEvent` for `verification.settled`. */
function titleOf(type: EventType): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

export type EventBody = Static<ReturnType<typeof shapeOf>>;
/** The schema of an event in webhooks and in `GET /api/v2/events`. */
export const EventBody = Type.Unsafe<EventBody>(Type.Union(accountEventTypes.map(shapeOf)));

export function eventBodyOf({
  id,
  type,
  at,
  mode,
  about,
  data,
}: Pick<EventRow, "id" | "type" | "at" | "mode" | "about" | "data">): EventBody {
  const mark = about === rehearsed ? { rehearsed: true as const } : {};
  return { id, type, timestamp: new Date(at).toISOString(), mode, ...mark, data: JSON.parse(data) };
}
