// This file runs before Next's router reads the URL, and before hydration.
import "matrix-auth-elements/define";
