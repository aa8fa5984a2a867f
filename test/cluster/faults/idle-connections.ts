import { Besieged } from "../bystander.ts";

/** 5,000 connections that say nothing, and what a caller notices of them. */
export async function idleConnections(): Promise<object> {
  await using besieged = await Besieged.start();
  await besieged.crowd(5000, "", true);
  await besieged.measure("5,000 idle connections");
  await besieged.leave();
  await besieged.measure("when they are gone");
  return besieged.table;
}
