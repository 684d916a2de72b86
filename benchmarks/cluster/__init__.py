"""What a cluster gains and costs, with workers that are processes of this machine."""
