import { SignIn } from "./sign-in";

export default async function Page({ searchParams }: PageProps<"/login">) {
  const { returnTo } = await searchParams;
  return <SignIn returnTo={returnTo?.toString()} />;
}
