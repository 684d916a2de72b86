# Run huge on one table: Rscript huge.R FOLDER ESTIMATOR SELECTION lossy|lossless
#
# FOLDER/table.csv holds the numbers. Leaves FOLDER/edges.csv, the columns of each edge counted from
# one, and FOLDER/told.csv with the seconds and the version. glasso always screens for components,
# which loses nothing; "lossy" asks for huge's screening of neighbourhoods (its `scr`).

arguments <- commandArgs(trailingOnly = TRUE)
here <- function(name) file.path(arguments[1], name)
estimator <- arguments[2]
selection <- arguments[3]
x <- scale(unname(as.matrix(read.csv(here("table.csv"), header = FALSE))))
set.seed(1)
start <- proc.time()[["elapsed"]]
x <- scale(huge::huge.npn(x, npn.func = "shrinkage", verbose = FALSE))
path <- huge::huge(x, method = estimator, scr = arguments[4] == "lossy", verbose = FALSE)
chosen <- huge::huge.select(path, criterion = selection, verbose = FALSE)
seconds <- proc.time()[["elapsed"]] - start
adjacency <- as.matrix(chosen$refit) != 0
adjacency <- adjacency | t(adjacency)
edges <- which(adjacency & upper.tri(adjacency), arr.ind = TRUE)
write.table(edges, here("edges.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
writeLines(c(paste0("seconds,", seconds),
             paste0("version,", as.character(packageVersion("huge")))), here("told.csv"))
