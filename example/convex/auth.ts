import { ConvexCredentials } from "@convex-dev/auth/providers/ConvexCredentials";
import {
  convexAuth,
  createAccount,
  type GenericActionCtxWithAuthConfig,
  retrieveAccount,
} from "@convex-dev/auth/server";
import { ipKey } from "convex-rate-limiter";
import { Scrypt } from "lucia";
import { internal } from "./_generated/api.js";
import type { DataModel } from "./_generated/dataModel.js";
import { appError } from "./errors.js";
import { rateLimiter } from "./rateLimiter.js";
import { accountIdOf, PROVIDER } from "./users.js";

type Ctx = GenericActionCtxWithAuthConfig<DataModel>;
type Credentials = { name: string; password: string };

const NAME = /^[\p{L}\p{N}._-]{2,30}$/u;

/** Signs in by name and password, or makes the account first. */
const password = ConvexCredentials<DataModel>({
  id: PROVIDER,
  crypto: {
    hashSecret: (secret) => new Scrypt().hash(secret),
    verifySecret: (secret, hash) => new Scrypt().verify(hash, secret),
  },
  authorize: async (params, ctx) => {
    const enter = params.flow === "signUp" ? signUp : logIn;
    const { user } = await enter(ctx, requireCredentials(params));
    return { userId: user._id };
  },
});

export const { auth, signIn, signOut, store, isAuthenticated } = convexAuth({
  providers: [password],
});

async function signUp(ctx: Ctx, { name, password: secret }: Credentials) {
  const { ip } = await ctx.meta.getRequestMetadata();
  const from = ip === null ? "no address" : ipKey(ip);
  await rateLimiter.limitAll(
    ctx,
    [{ name: "signUp" }, { name: "signUpFrom", key: from }],
    { throws: true },
  );
  const id = accountIdOf(name);
  // Convex Auth signs in whoever signs up again with the right password, which would be a way to
  // guess it that `failedLogins` does not count.
  if (await ctx.runQuery(internal.users.isTaken, { id })) {
    throw appError({ kind: "NameTaken" });
  }
  const account = { id, secret };
  const profile = { name };
  return createAccount(ctx, { provider: PROVIDER, account, profile });
}

/**
 * Counts failures only: each attempt takes a token, and gives it back if the password was right.
 * Taking comes first, so that concurrent guesses cannot pass together. In an action, as here, the
 * token stays taken when this throws. A mutation would have to return instead.
 */
async function logIn(ctx: Ctx, { name, password: secret }: Credentials) {
  const id = accountIdOf(name);
  await rateLimiter.limit(ctx, "failedLogins", { key: id, throws: true });
  const account = { id, secret };
  const entered = await retrieveAccount(ctx, {
    provider: PROVIDER,
    account,
  }).catch((error: Error) => {
    if (!/^Invalid(AccountId|Secret)$/.test(error.message)) throw error;
    throw appError({ kind: "WrongPassword" });
  });
  await rateLimiter.credit(ctx, "failedLogins", { key: id });
  return entered;
}

function requireCredentials(params: Record<string, unknown>): Credentials {
  const { name, password: secret } = params;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw appError({
      kind: "BadInput",
      message: "A name has 2 to 30 letters, digits, dots, dashes or _.",
    });
  }
  if (typeof secret !== "string" || secret.length < 8 || secret.length > 100) {
    throw appError({
      kind: "BadInput",
      message: "A password has 8 to 100 characters.",
    });
  }
  return { name, password: secret };
}
