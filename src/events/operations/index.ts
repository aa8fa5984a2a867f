import type { Operation } from "../../operation/operation.ts";
import type { EventsRoom } from "../events.ts";
import { listEvents } from "./listEvents.ts";
import { triggerEvent } from "./triggerEvent.ts";

/** The operations of the room of events. */
export const eventOperations: Operation<EventsRoom>[] = [listEvents, triggerEvent];
