"""Special functions of tensors: the operators special_<name>."""

from . import special_airy_ai as airy_ai
from . import special_bessel_j0 as bessel_j0
from . import special_bessel_j1 as bessel_j1
from . import special_bessel_y0 as bessel_y0
from . import special_bessel_y1 as bessel_y1
from . import special_chebyshev_polynomial_t as chebyshev_polynomial_t
from . import special_chebyshev_polynomial_u as chebyshev_polynomial_u
from . import special_chebyshev_polynomial_v as chebyshev_polynomial_v
from . import special_chebyshev_polynomial_w as chebyshev_polynomial_w
from . import special_digamma as digamma
from . import special_entr as entr
from . import special_erf as erf
from . import special_erfc as erfc
from . import special_erfcx as erfcx
from . import special_erfinv as erfinv
from . import special_exp2 as exp2
from . import special_expit as expit
from . import special_expm1 as expm1
from . import special_gammainc as gammainc
from . import special_gammaincc as gammaincc
from . import special_gammaln as gammaln
from . import special_hermite_polynomial_h as hermite_polynomial_h
from . import special_hermite_polynomial_he as hermite_polynomial_he
from . import special_i0 as i0
from . import special_i0e as i0e
from . import special_i1 as i1
from . import special_i1e as i1e
from . import special_laguerre_polynomial_l as laguerre_polynomial_l
from . import special_legendre_polynomial_p as legendre_polynomial_p
from . import special_log1p as log1p
from . import special_log_ndtr as log_ndtr
from . import special_log_softmax as log_softmax
from . import special_logit as logit
from . import special_logsumexp as logsumexp
from . import special_modified_bessel_i0 as modified_bessel_i0
from . import special_modified_bessel_i1 as modified_bessel_i1
from . import special_modified_bessel_k0 as modified_bessel_k0
from . import special_modified_bessel_k1 as modified_bessel_k1
from . import special_multigammaln as multigammaln
from . import special_ndtr as ndtr
from . import special_ndtri as ndtri
from . import special_polygamma as polygamma
from . import special_psi as psi
from . import special_round as round
from . import special_scaled_modified_bessel_k0 as scaled_modified_bessel_k0
from . import special_scaled_modified_bessel_k1 as scaled_modified_bessel_k1
from . import special_shifted_chebyshev_polynomial_t as shifted_chebyshev_polynomial_t
from . import special_shifted_chebyshev_polynomial_u as shifted_chebyshev_polynomial_u
from . import special_shifted_chebyshev_polynomial_v as shifted_chebyshev_polynomial_v
from . import special_shifted_chebyshev_polynomial_w as shifted_chebyshev_polynomial_w
from . import special_sinc as sinc
from . import special_softmax as softmax
from . import special_spherical_bessel_j0 as spherical_bessel_j0
from . import special_xlog1py as xlog1py
from . import special_xlogy as xlogy
from . import special_zeta as zeta

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]
