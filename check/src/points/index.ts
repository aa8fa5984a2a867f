import type { Operation } from "../document.ts";
import type { Point } from "../point.ts";
import { failurePoints } from "./failure-points.ts";
import { headerPoints } from "./header-points.ts";
import { leakPoints } from "./leak-points.ts";
import { listPoints } from "./list-points.ts";
import { operationPoints, refusalPoints } from "./operation-points.ts";
import { personPoints } from "./person-points.ts";
import { requestPoints } from "./request-points.ts";
import { tokenPoint } from "./token-points.ts";
import { verificationPoints } from "./verification-points.ts";

/** Every point, with the points of each operation together. A point comes after the points that it needs. */
export function everyPoint(operations: readonly Operation[]): Point[] {
  const documented = operations.filter((operation) => operation.documented);
  const ofDocument = [
    ...listPoints,
    ...personPoints,
    ...requestPoints,
    ...failurePoints,
    ...verificationPoints,
    ...leakPoints,
  ];
  const subjects = documented.flatMap((operation) => [
    ...operationPoints(operation, "interface"),
    ...refusalPoints(operation),
    ...ofDocument.filter(({ id }) => id.startsWith(`${operation.id}.`)),
  ]);
  const others = operations.filter((operation) => !operation.documented && isAskable(operation));
  return [
    ...subjects,
    ...failurePoints.filter(({ id }) => id.startsWith("failures.")),
    ...headerPoints,
    ...leakPoints.filter(({ id }) => id.startsWith("accounts.")),
    tokenPoint,
    ...others.flatMap((operation) => operationPoints(operation, "duba")),
  ];
}

/** Whether the check can send a valid request: a GET about no person, which requires at most a `type`. */
function isAskable({ method, path, isAboutPeople, isByPermission, required }: Operation): boolean {
  if (isByPermission) return false;
  return method === "GET" && !isAboutPeople && !path.includes("{") && required.every((name) => name === "type");
}
