import "matrix-auth-elements/define";
