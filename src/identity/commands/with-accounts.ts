/** What commands need of the room of accounts. */
export interface WithAccounts {
  accounts: {
    /** The account with this id or e-mail. Throws if there is none. */
    find(idOrEmail: string): Promise<{ id: string; name: string; email: string }>;
    /** The ids of all accounts. */
    ids(): Promise<string[]>;
    /** The e-mail of an account by its id: the id itself for an account that is gone. */
    emails(): Promise<(id: string) => string>;
    /** Likewise the name of its business. */
    names(): Promise<(id: string) => string>;
  };
}
