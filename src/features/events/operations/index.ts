import type { Operation } from "../../../declare/operation.ts";
import type { EventsRoom } from "../events.ts";
import { addEventEndpoint } from "./addEventEndpoint.ts";
import { listEventDeliveries } from "./listEventDeliveries.ts";
import { listEventEndpoints } from "./listEventEndpoints.ts";
import { listEvents } from "./listEvents.ts";
import { removeEventEndpoint } from "./removeEventEndpoint.ts";
import { resendEvents } from "./resendEvents.ts";
import { rollEventSecret } from "./rollEventSecret.ts";
import { testEventEndpoint } from "./testEventEndpoint.ts";
import { triggerEvent } from "./triggerEvent.ts";

/** The operations about events. */
export const eventOperations: Operation<EventsRoom>[] = [
  listEvents,
  triggerEvent,
  addEventEndpoint,
  listEventEndpoints,
  testEventEndpoint,
  listEventDeliveries,
  resendEvents,
  rollEventSecret,
  removeEventEndpoint,
];
