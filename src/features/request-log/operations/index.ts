import type { Operation } from "../../../declare/operation.ts";
import type { RequestRoom } from "../request-log-room.ts";
import { getRequest } from "./getRequest.ts";
import { listRequests } from "./listRequests.ts";

/** The operations of the request log. */
export const requestOperations: Operation<RequestRoom>[] = [getRequest, listRequests];
