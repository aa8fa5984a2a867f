import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "../config/read-config.ts";

/** An address to listen on, and the setting that configures it. */
export interface Address {
  host: string;
  port: number;
  setting: string;
}

/** Returns the address that integrators call. */
export function ownAddress({ host, port }: Config): Address {
  return { host, port, setting: "PORT" };
}

/** Returns every address on which a service listens. */
function addressesOf(config: Config): readonly Address[] {
  const ofFeatures = [...config.ofFeatures].flatMap(([{ name, listens }, value]) =>
    listens && value ? { ...(value as Omit<Address, "setting">), setting: name } : [],
  );
  return [ownAddress(config), ...ofFeatures];
}

/**
 * Checks that this process can listen on all of these addresses, and closes the test listeners again. Otherwise throws
 * an error with a sentence.
 */
export async function tryAddresses(config: Config): Promise<void> {
  for (const address of addressesOf(config)) await tryAddress(address);
}

async function tryAddress(address: Address): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(address.port, address.host), "listening");
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, address);
  }
  probe.close();
  await once(probe, "close");
}

class ListenError extends Error {
  readonly exitCode = 1;
}

export function listenError(error: NodeJS.ErrnoException, { host, port, setting }: Address): Error {
  if (error.code === "EADDRINUSE")
    return new ListenError(`Port ${port} on ${host} is taken by another program. Choose another with ${setting}.`);
  if (error.code === "EACCES")
    return new ListenError(`This user may not listen on port ${port}. Choose one above 1023 with ${setting}.`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    const which = setting === "PORT" ? "HOST" : setting;
    return new ListenError(`This machine has no address ${host}. Choose another with ${which}, such as 127.0.0.1.`);
  }
  return error;
}
