"""The five papers. Each has a folder of items beside this file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    short: str
    citation: str


PAPERS = {
    "reich": Paper(
        "Reich 1996",
        "S. Reich, Symplectic integration of constrained Hamiltonian systems by composition methods, "
        "SIAM J. Numer. Anal. 33 (1996) 475-491"),
    "leimkuhler-reich": Paper(
        "Leimkuhler and Reich 1994",
        "B. Leimkuhler, S. Reich, Symplectic integration of constrained Hamiltonian systems, "
        "Math. Comp. 63 (1994) 589-605; the figures are those of the report ZIB SC 92-16"),
    "leimkuhler-skeel": Paper(
        "Leimkuhler and Skeel 1994",
        "B. J. Leimkuhler, R. D. Skeel, Symplectic numerical integrators in constrained Hamiltonian systems, "
        "J. Comput. Phys. 112 (1994) 117-125"),
    "jay": Paper(
        "Jay 1996",
        "L. Jay, Symplectic partitioned Runge-Kutta methods for constrained Hamiltonian systems, "
        "SIAM J. Numer. Anal. 33 (1996) 368-387"),
    "hairer-lubich-wanner": Paper(
        "Hairer, Lubich and Wanner 2003",
        "E. Hairer, C. Lubich, G. Wanner, Geometric numerical integration illustrated by the Störmer/Verlet method, "
        "Acta Numerica 12 (2003) 399-450"),
}
