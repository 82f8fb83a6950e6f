"""The game manager: hosts a match between players on the network and of ours."""
